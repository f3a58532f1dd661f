import { expect, it } from 'vitest';
import { closest } from '../../src/present/closest.ts';

const CODES = ['version.format', 'version.missing', 'id.format', 'tools.id', 'tools.name'];

it.each([
  { written: 'version.fromat', meant: ['version.format'] },
  { written: 'VERSION.FORMAT', meant: ['version.format'] },
  { written: 'tools', meant: ['tools.id', 'tools.name'] },
  { written: 'version', meant: ['version.format', 'version.missing'] },
  { written: 'something.else', meant: [] },
  { written: '', meant: [] },
])('takes $written for $meant', ({ written, meant }) => {
  expect(closest(written, CODES)).toEqual(meant);
});

it('does not think long about a word that is no slip', () => {
  expect(closest('x'.repeat(1_000_000), CODES)).toEqual([]);
});
