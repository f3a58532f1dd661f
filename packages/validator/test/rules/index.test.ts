import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { generateCodes } from '../../../../scripts/gen/codes.ts';
import { exampleIssues } from '../../src/example.ts';
import { RULES } from '../../src/rules/index.ts';

const ROOT = new URL('../../../../', import.meta.url);

const LEVELS = {
  error: { store: 'error', dev: 'error' },
  warning: { store: 'warning', dev: 'warning' },
  'store-error': { store: 'error', dev: 'warning' },
} as const;

describe.each(RULES)('$code', ({ code, level, why, example }) => {
  const mode = example.mode ?? 'store';

  it('is found once in its broken example, where it says, and nothing else stops that', () => {
    const issues = exampleIssues(example, 'broken');
    expect(issues.filter((issue) => issue.code === code)).toMatchObject([
      { path: example.path, level: LEVELS[level][mode] },
    ]);
    expect(issues.filter((issue) => issue.code !== code && issue.level === 'error')).toEqual([]);
  });

  it('is gone from the corrected example, and no error is left', () => {
    const issues = exampleIssues(example, 'fixed');
    expect(issues.filter((issue) => issue.code === code || issue.level === 'error')).toEqual([]);
  });

  it('speaks in whole sentences', () => {
    const [issue] = exampleIssues(example, 'broken').filter((found) => found.code === code);
    expect(issue?.message).toMatch(/^\S.*[.!]$/su);
    expect(issue?.message).not.toMatch(/undefined|\[object|NaN/);
    expect(why).toMatch(/^[A-Z"].*\.$/su);
  });
});

describe.each(RULES.filter((rule) => rule.level === 'store-error'))('$code', ({ code, example }) => {
  it.each([
    ['store', 'error'],
    ['dev', 'warning'],
  ] as const)('in %s mode is an %s', (mode, level) => {
    const found = exampleIssues(example, 'broken', mode).filter((issue) => issue.code === code);
    expect(found.map((issue) => issue.level)).toEqual([level]);
  });
});

describe('the rule table', () => {
  it('is complete', () => expect(RULES).toHaveLength(140));

  it('has every code once', () => {
    const codes = RULES.map((rule) => rule.code);
    expect(codes).toEqual([...new Set(codes)]);
  });

  it('agrees with the frozen list in interop/', async () => {
    const frozen: unknown = JSON.parse(await readFile(new URL('interop/codes.json', ROOT), 'utf8'));
    const table = RULES.map(({ code, level }) => ({ code, level }));
    expect(table.toSorted((one, other) => (one.code < other.code ? -1 : 1))).toEqual(frozen);
  });

  it('has its pages as they would be written now; `npm run gen` writes them', async () => {
    const generated = await generateCodes();
    const stale: string[] = [];
    for (const [path, content] of generated) {
      const held = await readFile(new URL(path, ROOT), 'utf8').catch(() => undefined);
      if (held !== content) stale.push(path);
    }
    expect(stale).toEqual([]);
    const held = await readdir(new URL('docs/codes', ROOT));
    expect(held.filter((name) => !generated.has(`docs/codes/${name}`))).toEqual([]);
  });
});
