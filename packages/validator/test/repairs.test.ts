import { expect, it } from 'vitest';
import { repairFlag, repairList, repairNumber, repairSpace } from '../src/repairs.ts';

const range = { min: 0, max: 600 };

it.each([
  ['512', 512],
  [' 1 ', 1],
  ['0.5', 0.5],
  ['-0', -0],
  ['0600', 600],
])('repairNumber reads %j as %d', (text, number) =>
  expect(repairNumber(text, range)).toEqual({ put: number }),
);

it.each([
  '',
  ' ',
  '601',
  '-1',
  '1e2',
  '0x10',
  '1,5',
  '5MB',
  'NaN',
  'Infinity',
  '.5',
  '1.',
  '1_0',
  '٣',
  5,
  null,
  ['5'],
])('repairNumber does not repair %j', (text) => expect(repairNumber(text, range)).toBeUndefined());

it('repairNumber refuses a fraction where a whole number is required', () => {
  expect(repairNumber('1.5', range, true)).toBeUndefined();
  expect(repairNumber('2.0', range, true)).toEqual({ put: 2 });
});

it('repairFlag reads "true" and "false", and nothing else', () => {
  expect(repairFlag('True ')).toEqual({ put: true });
  expect(repairFlag('false')).toEqual({ put: false });
  for (const value of ['yes', '', '1', 0, null, undefined]) expect(repairFlag(value)).toBeUndefined();
});

it('repairSpace removes white space only if the rest is valid', () => {
  const isGood = (text: string) => text === 'a b';
  expect(repairSpace('\n a b ', isGood)).toEqual({ put: 'a b' });
  for (const value of ['a b', ' ab', 7, undefined]) expect(repairSpace(value, isGood)).toBeUndefined();
});

it('repairList wraps a single text in a list, but not inside a list', () => {
  const isGood = (text: string) => text !== '';
  expect(repairList('a', 'field', isGood)).toEqual({ put: ['a'] });
  expect(repairList('a', 0, isGood)).toBeUndefined();
  expect(repairList('', 'field', isGood)).toBeUndefined();
  expect(repairList(7, 'field', isGood)).toBeUndefined();
});
