import { expect, it } from 'vitest';
import { bodyReadings, faultsIn, READERS } from '../scripts/read-answers.ts';

const found = (text: string) => bodyReadings('x.ts', text).map(({ what }) => what);

it.each([
  ['await answer.json()', ['.json()']],
  ['(await fetch(url)).text()', ['.text()']],
  ['response?.arrayBuffer()', ['.arrayBuffer()']],
  ['for await (const piece of response.body ?? []) use(piece);', ['for await (… of .body)']],
  ['response.body.getReader()', ['.body.getReader()']],
  ['await answer.body?.cancel()', []],
  ['c.json({ a: 1 })', []],
  ['await request.text()', []],
  ['z.json()', []],
])('%s is found', (text, expected) => {
  expect(found(text)).toEqual(expected);
});

it('names readings without an exception, and exceptions without a reading', () => {
  const all = Object.keys(READERS).map((file) => ({ file, line: 1, what: '.json()' }));
  expect(faultsIn(all)).toEqual([]);
  expect(faultsIn([...all, { file: 'a.ts', line: 7, what: '.text()' }])[0]).toMatch(/^a\.ts:7 \.text\(\): /);
  expect(faultsIn(all.slice(1))).toHaveLength(1);
});
