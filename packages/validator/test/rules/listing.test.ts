import { describe, expect, it } from 'vitest';
import { findings, issuesOf } from '../support.ts';

describe('categories', () => {
  it('are recommended', () => {
    for (const categories of [undefined, []]) {
      expect(issuesOf({ categories })).toMatchObject([
        { code: 'categories.missing', level: 'warning', path: '/categories' },
      ]);
    }
  });

  it('are three known categories at most', () => {
    expect(findings({ categories: ['media', 'games', 'other'] })).toEqual([]);
    expect(findings({ categories: ['media', 'games', 'other', 'data'] })).toEqual([
      'categories.format /categories',
    ]);
    expect(findings({ categories: 'media' })).toEqual(['categories.format /categories']);
    expect(findings({ categories: ['media', 7] })).toEqual(['categories.format /categories/1']);
    expect(findings({ categories: ['Media', 'constructor'] })).toEqual([
      'categories.unknown /categories/0',
      'categories.unknown /categories/1',
    ]);
  });
});

describe.each([
  ['platforms', ['darwin', 'win32', 'linux']],
  ['arch', ['x64', 'arm64']],
])('%s', (field, known) => {
  it('accepts the known values', () => expect(findings({ [field]: known })).toEqual([]));
  it.each([[[]], [null], ['linux'], [{}]])('refuses %j', (value) =>
    expect(findings({ [field]: value })).toEqual([`${field}.format /${field}`]),
  );
  it('refuses unknown values', () =>
    expect(findings({ [field]: [...known, 'beos', 7] })).toEqual([
      `${field}.unknown /${field}/${known.length}`,
      `${field}.unknown /${field}/${known.length + 1}`,
    ]));
  it('refuses repeats', () =>
    expect(findings({ [field]: [...known, known[0]] })).toEqual([
      `${field}.format /${field}/${known.length}`,
    ]));
});
