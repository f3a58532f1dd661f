import { dirname } from 'node:path/posix';
import type { Manifest } from '@svc/contracts';
import { fullManifest, MANIFEST_MUTATIONS, runs } from '@svc/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changesOf, FIELDS, footprintOf } from '../src/index.ts';

const FREE = new Set(
  Object.entries(FIELDS)
    .filter(([, field]) => field.class === 'free')
    .map(([path]) => path),
);

/** The parts of a manifest that are not free. Independent of the code under test, except for the field classes. */
function bound(value: unknown, path = ''): unknown {
  if (FREE.has(path)) return undefined;
  if (Array.isArray(value)) {
    const items = value.map((item) => JSON.stringify(bound(item, `${path}/*`)) ?? '');
    return items.filter((item) => item !== '').sort();
  }
  if (typeof value !== 'object' || value === null) return value;
  const map = path.endsWith('/files') || path.endsWith('/params');
  const entries = Object.entries(value).map(([key, inner]) => [
    key,
    path.endsWith('/prepare') ? inner : bound(inner, `${path}/${map ? '*' : key}`),
  ]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function essenceOf(manifest: Manifest): string {
  const copy = structuredClone(manifest);
  for (const account of copy.accounts ?? []) {
    if (account.auth !== 'mcp') continue;
    delete account.authorizeUrl;
    delete account.tokenUrl;
  }
  // The entries of `requires` have their own classes.
  const { requires, ...rest } = copy;
  const parts = Object.entries(requires ?? {}).map(([key, value]) => [key, bound(value, `/requires/${key}`)]);
  return JSON.stringify([bound(rest), parts.sort(), copy.branding.icon, copy.branding.mark ?? null]);
}

/** Several changes at once; of two conflicting changes one is lost, which does not matter. */
const someManifest = fc
  .subarray(Object.entries(MANIFEST_MUTATIONS), { minLength: 0, maxLength: 6 })
  .map((chosen) => {
    const manifest = fullManifest();
    for (const [, { change }] of chosen) {
      try {
        change(manifest);
      } catch {
        // An earlier change removed the field.
      }
    }
    return manifest;
  });

const tool = ({ contributes }: Manifest) => contributes?.tools?.[0] ?? {};

const of = (manifest: Manifest) => footprintOf(manifest, (path) => path);

describe('changesOf', () => {
  it('is empty exactly when two manifests are the same outside of free fields', () => {
    fc.assert(
      fc.property(someManifest, someManifest, (before, after) => {
        const changes = changesOf(of(before), of(after));
        expect(changes.length === 0).toBe(essenceOf(before) === essenceOf(after));
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('names the same paths in either direction, except the names and words of a tool that is added or removed', () => {
    fc.assert(
      fc.property(someManifest, someManifest, (one, other) => {
        const paths = (from: Manifest, to: Manifest) =>
          changesOf(of(from), of(to))
            .map(({ path }) => path)
            .filter(
              (path, _at, all) =>
                !/\/(name|remoteName|description)$/.test(path) || !all.includes(dirname(path)),
            )
            .sort();
        expect(paths(one, other)).toEqual(paths(other, one));
      }),
    );
  });

  it('needs consent in at least one direction between two versions', () => {
    fc.assert(
      fc.property(someManifest, someManifest, (one, other) => {
        const [there, back] = [changesOf(of(one), of(other)), changesOf(of(other), of(one))];
        // Between two versions that differ in permissions or appearance, at least one direction needs consent, unless only
        // what steers agents differs.
        const asks = [...there, ...back].some(({ kind, widens }) => widens || kind === 'face');
        const neutral = there.every(({ kind }) => kind === 'instructions');
        expect(asks || neutral).toBe(true);
      }),
      { numRuns: runs(1_000) },
    );
  });

  it.each<[string, (manifest: Manifest) => void, 'face' | 'reach']>([
    ['goes with a permission that goes', (manifest) => manifest.remote.domains?.pop(), 'reach'],
    ['goes alone', () => {}, 'face'],
    ['goes with an icon that goes', (manifest) => delete manifest.branding.mark, 'face'],
    [
      'goes with words that change',
      (manifest) => Object.assign(tool(manifest), { description: 'New.' }),
      'face',
    ],
    [
      'goes with a permission that goes, and another one comes',
      (manifest) => manifest.remote.domains?.splice(0, 1, 'new.example.com'),
      'face',
    ],
    [
      'is replaced with a permission that goes',
      (manifest) => {
        manifest.remote.domains?.pop();
        manifest.permissions = ['It does something else.'];
      },
      'face',
    ],
  ])('decides whether users are asked again about an explanation that %s', (_what, change, kind) => {
    const [before, after] = [fullManifest(), fullManifest()];
    before.permissions = ['It reads notes.', 'It sends notes.'];
    after.permissions = ['It reads notes.'];
    change(after);
    const found = changesOf(of(before), of(after)).find(({ path }) => path === '/permissions');
    expect(found?.kind).toBe(kind);
  });

  it.each([
    ['delete_all', true],
    ['more', false],
  ])('shows the name on the server of a new tool: %s, %s', (remoteName, isShown) => {
    const after = fullManifest();
    after.contributes?.tools?.push({ id: 'more', name: 'More', description: 'More.', remoteName });
    const paths = changesOf(of(fullManifest()), of(after)).map(({ path }) => path);
    expect(paths).toContain('/contributes/tools/more');
    expect(paths.includes('/contributes/tools/more/remoteName')).toBe(isShown);
  });
});
