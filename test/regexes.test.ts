import { DEEP } from '@svc/testkit';
import { expect, it } from 'vitest';
import { whySlow } from './regexes/check.ts';
import { collectRegexes } from './regexes/collect.ts';
import { EXCEPTIONS, MAKERS } from './regexes/exceptions.ts';
import { nameOf, readRecord } from './regexes/record.ts';

const { literals, made } = await collectRegexes();

const isExcepted = (file: string, source: string): boolean =>
  EXCEPTIONS.some((one) => one.file === file && one.source === source);

it.each([
  ['a match at the end that is tried from every position', /[.\s]+$/],
  ['unclosed brackets', /\[[^\]]*\]/g],
  ['unclosed comments', /\/\*[\s\S]*?\*\//g],
  ['nested repetition', /^(?:a+)+$/],
])('the checker finds %s', (_what, { source, flags }) => {
  expect(whySlow(source, flags)).toMatch(/polynomial|exponential/);
});

/** The expressions that take more than linear time, without those that a record lists as proven linear. */
function slowUnless(record: ReadonlySet<string>): string[] {
  const verdicts = new Map<string, string | undefined>();
  const slow = literals.flatMap(({ file, line, source, flags }) => {
    if (isExcepted(file, source) || record.has(nameOf(source, flags))) return [];
    const key = `/${source}/${flags}`;
    if (!verdicts.has(key)) verdicts.set(key, whySlow(source, flags));
    const why = verdicts.get(key);
    return why === undefined ? [] : [`${file}:${line}: ${key} is ${why}`];
  });
  return slow;
}

it('no regular expression of the sources takes more than linear time, except those proven in the record', async () => {
  const record = await readRecord();
  expect(slowUnless(record)).toEqual([]);
  // The expressions were found, and the record does not contain others.
  expect(new Set(literals.map(({ source, flags }) => nameOf(source, flags))).size).toBeGreaterThan(250);
  expect(record.has(nameOf('^(?:a+)+$', ''))).toBe(false);
}, 300_000);

it('no regular expression of the sources takes more than linear time, without the record', {
  ...DEEP,
  timeout: 300_000,
}, () => {
  expect(slowUnless(new Set())).toEqual([]);
});

it('every exception refers to an existing expression', () => {
  const gone = EXCEPTIONS.filter(
    ({ file, source }) => !literals.some((one) => one.file === file && one.source === source),
  );
  expect(gone).toEqual([]);
});

it('every expression that is built from a text is listed with the source of the text, and linear', () => {
  const places = ({ file, from }: { file: string; from: string }): string => `${file}: ${from}`;
  expect(made.map(places).sort()).toEqual(MAKERS.map(places).sort());
  expect(MAKERS.map(({ sample }) => whySlow(sample.source, sample.flags)).filter(Boolean)).toEqual([]);
});
