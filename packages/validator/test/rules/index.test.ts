import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { generateCodes } from '../../../../tools/gen/codes.ts';
import { exampleEntries, exampleIssues } from '../../src/example.ts';
import { MAX_MANIFEST_BYTES } from '../../src/json/read-json.ts';
import type { ManifestPatch, Mode } from '../../src/rule.ts';
import { RULES } from '../../src/rules/index.ts';
import { fixesFor, parseManifest, validateBundle, validateManifest } from '../../src/validate.ts';
import { FIXED, UNMENDED } from '../fixed.ts';
import { BOUNDARIES } from '../limits.ts';
import { bytesOf, exampleWith, findings, fix, linesOf } from '../support.ts';

const ROOT = new URL('../../../../', import.meta.url);

const LEVELS = {
  error: { store: 'error', dev: 'error' },
  warning: { store: 'warning', dev: 'warning' },
  'store-error': { store: 'error', dev: 'warning' },
} as const;

describe.each(RULES)('$code', ({ code, level, why, example }) => {
  const mode = example.mode ?? 'store';

  it('is found once in its broken example, at the given path, without other errors', () => {
    const issues = exampleIssues(example, 'broken');
    expect(issues.filter((issue) => issue.code === code)).toMatchObject([
      { path: example.path, level: LEVELS[level][mode] },
    ]);
    expect(issues.filter((issue) => issue.code !== code && issue.level === 'error')).toEqual([]);
  });

  it('is not found in the corrected example, which has no errors', () => {
    const issues = exampleIssues(example, 'fixed');
    expect(issues.filter((issue) => issue.code === code || issue.level === 'error')).toEqual([]);
  });

  it('has whole sentences as its message and reason', () => {
    const [issue] = exampleIssues(example, 'broken').filter((found) => found.code === code);
    expect(issue?.message).toMatch(/^\S.*[.!?]$/su);
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

describe('a repair', () => {
  const faults = FIXED.map(([code, broken, fixed, mode = 'store']) => ({ code, broken, fixed, mode }));
  it.each(faults)('fixes $code in $broken', ({ code, broken, fixed, mode }) => {
    const codes = findings(broken, mode).map((line) => line.split(' ')[0]);
    expect(codes).toContain(code);
    const manifest = fix(exampleWith(broken), { mode });
    expect(manifest).toEqual(exampleWith(fixed));
    expect(linesOf(validateManifest(manifest, { mode })).map((line) => line.split(' ')[0])).not.toContain(
      code,
    );
  });

  const decisions = UNMENDED.map(([what, broken, mode = 'store']) => ({ what, broken, mode }));
  it.each(decisions)('does not change $what', ({ broken, mode }) => {
    expect(findings(broken, mode)).not.toEqual([]);
    expect(fixesFor(exampleWith(broken), { mode })).toEqual([]);
  });

  const repairing = RULES.filter((rule) => rule.repair !== undefined);
  it.each(repairing)('of $code fixes its example, or has an entry in FIXED', ({ code, example }) => {
    const mode = example.mode ?? 'store';
    const entries = exampleEntries(example.broken);
    const reading = parseManifest(entries.get('plugin.json') ?? new Uint8Array());
    const fixed = fix(reading.ok ? reading.value : undefined, { mode, entries });
    const files = { ...example.broken.files, 'plugin.json': JSON.stringify(fixed) };
    const { issues } = validateBundle(exampleEntries({ files }), { mode });
    const isFixed = !issues.some((issue) => issue.code === code);
    expect(isFixed || FIXED.some(([other]) => other === code)).toBe(true);
  });
});

describe('each limit', () => {
  const limits = BOUNDARIES.map(([limit, kept, broken, code, mode = 'store']) => ({
    limit,
    kept,
    broken,
    code,
    mode,
  }));
  const codesOf = (patch: ManifestPatch, mode: Mode) =>
    validateManifest(exampleWith(patch), { mode }).map(({ code }) => code);

  it.each(limits)('is exact on both sides: $limit', ({ kept, broken, code, mode }) => {
    const inKept = codesOf(kept, mode);
    const inBroken = codesOf(broken, mode);
    expect(inKept).not.toContain(code);
    // Both patches may have other findings in this mode; those must be the same.
    expect(inBroken).toEqual(expect.arrayContaining(inKept));
    expect(inBroken.filter((found) => !inKept.includes(found))).toEqual([code]);
  });

  it('of the zip is exact: 25 MiB', () => {
    const verdict = (size: number) =>
      linesOf(validateBundle(exampleEntries({ files: {} }), { mode: 'store', size }).issues);
    expect(verdict(25 * 1024 * 1024)).toEqual([]);
    expect(verdict(25 * 1024 * 1024 + 1)).toEqual(['bundle.size ']);
  });

  it('of the depth of the JSON is exact: 64', () => {
    const nested = (depth: number) =>
      parseManifest(bytesOf(`{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`)).ok;
    expect([nested(64), nested(65)]).toEqual([true, false]);
  });

  it('of the bytes of the JSON is exact', () => {
    const padded = (size: number) => parseManifest(bytesOf('{}'.padEnd(size))).ok;
    expect([padded(MAX_MANIFEST_BYTES), padded(MAX_MANIFEST_BYTES + 1)]).toEqual([true, false]);
  });
});

describe('the rule table', () => {
  it('has lost none of the 148 codes', () => expect(RULES.length).toBeGreaterThanOrEqual(148));

  it('has every code once', () => {
    const codes = RULES.map((rule) => rule.code);
    expect(codes).toEqual([...new Set(codes)]);
  });

  it('agrees with the frozen list in interop/', async () => {
    const frozen: unknown = JSON.parse(await readFile(new URL('interop/codes.json', ROOT), 'utf8'));
    const table = RULES.map(({ code, level }) => ({ code, level }));
    expect(table.toSorted((one, other) => (one.code < other.code ? -1 : 1))).toEqual(frozen);
  });

  it('has up-to-date pages, which `npm run gen` writes', async () => {
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
