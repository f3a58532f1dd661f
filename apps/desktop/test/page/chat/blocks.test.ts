import { expect, it } from 'vitest';
import { blocksOf } from '../../../page/src/chat/blocks.ts';

it.each([
  ['one\ntwo', ['one\ntwo']],
  ['one\n\ntwo\n\nthree', ['one', 'two', 'three']],
  ['- a\n\n- b\n\n  more\n\nend', ['- a\n\n- b\n\n  more', 'end']],
  ['1. a\n\n2. b', ['1. a\n\n2. b']],
  ['```js\na\n\nb\n```\n\nend', ['```js\na\n\nb\n```', 'end']],
  ['~~~\n```\n\na\n~~~\n\nb', ['~~~\n```\n\na\n~~~', 'b']],
  ['```\nopen\n\nstill', ['```\nopen\n\nstill']],
  ['', ['']],
])('splits %j into blocks', (text, blocks) => {
  expect(blocksOf(text)).toEqual(blocks);
});

it('loses no text', () => {
  const text = 'a\n\n\nb\n\n> q\n\n|t|\n\nc\n';
  expect(blocksOf(text).join('\n\n')).toBe(text);
});
