import { MANIFEST_MUTATIONS, mutated } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { hasErrors, validateManifest } from '../../src/validate.ts';
import { isFields, isList } from '../../src/values.ts';
import { TEXT_CLASSES } from '../../src/walk/manifest-strings.ts';
import { RICH_MANIFEST } from '../rich-manifest.ts';

type Steps = readonly (string | number)[];

/** The places of all strings in a document. */
function stringsOf(value: unknown, at: Steps = []): Steps[] {
  if (typeof value === 'string') return [at];
  if (isList(value)) return value.flatMap((item, index) => stringsOf(item, [...at, index]));
  return isFields(value)
    ? Object.entries(value).flatMap(([name, item]) => stringsOf(item, [...at, name]))
    : [];
}

/** A copy of a document with one string changed. */
function changed(value: unknown, [step, ...rest]: Steps, change: (text: string) => string): unknown {
  if (step === undefined) return change(String(value));
  if (isList(value)) return value.map((item, index) => (index === step ? changed(item, rest, change) : item));
  return Object.fromEntries(
    Object.entries(value as object).map(([name, item]) => [
      name,
      name === step ? changed(item, rest, change) : item,
    ]),
  );
}

/** A string of a document: where it is, and the line of `TEXT_CLASSES` for it. */
type Place = { document: unknown; steps: Steps; pattern: string | undefined };

/** The line of `TEXT_CLASSES` for a place. */
const patternOf = (steps: Steps) =>
  Object.keys(TEXT_CLASSES).find((pointer) => {
    const parts = pointer.slice(1).split('/');
    return parts.length === steps.length && parts.every((part, i) => part === '*' || part === steps[i]);
  });

/** The rich manifest, with a string that no app of a store has. */
const RICH = {
  ...RICH_MANIFEST,
  requires: { ...RICH_MANIFEST.requires, apps: [{ id: 'media', github: 'a/b', reason: 'Plays.' }] },
};

/** Manifests that have every string together: those after the rich one are of one change each. */
const DOCUMENTS: readonly unknown[] = [RICH, ...Object.values(MANIFEST_MUTATIONS).map(mutated)];

/** Every string of the first document that has one of its line. */
const PLACES: readonly Place[] = [
  ...Map.groupBy(
    DOCUMENTS.flatMap((document) =>
      stringsOf(document).map((steps): Place => ({ document, steps, pattern: patternOf(steps) })),
    ),
    ({ pattern }) => pattern,
  ).values(),
].flatMap((places) => places.filter(({ document }) => document === places[0]?.document));

const found = (manifest: unknown) => validateManifest(manifest, { mode: 'store' });

describe('every string of a manifest', () => {
  it('has a line in TEXT_CLASSES, and each line has an example', () => {
    const patterns = new Set(PLACES.map(({ pattern }) => pattern));
    expect(patterns).not.toContain(undefined);
    expect(Object.keys(TEXT_CLASSES).filter((pattern) => !patterns.has(pattern))).toEqual([]);
  });

  const shown = PLACES.map(({ pattern = '', ...place }) => ({ ...place, kind: TEXT_CLASSES[pattern] }))
    .filter(({ kind }) => kind !== 'unshown')
    .map((place) => ({ ...place, place: `/${place.steps.join('/')}` }));

  it.each(shown)('refuses hidden characters in $place', ({ document, steps, place, kind }) => {
    for (const evil of ['\u202e', '\u0000', '\u001b[2J', '\u200b', '\u2028', '\ue000', '\u00ad']) {
      const issues = found(changed(document, steps, (text) => `${text.slice(0, 1)}${evil}${text.slice(1)}`));
      expect(hasErrors(issues)).toBe(true);
      if (kind === 'format') continue;
      const issue = issues.find(({ code, path }) => code === 'bundle.manifest.json' && path === place);
      expect(issue?.message).toContain(`U+${evil.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`);
      expect(issue?.message).not.toContain(evil);
    }
  });

  it.each(shown)(
    'accepts line feeds in $place only if its class allows them',
    ({ document, steps, place, kind }) => {
      const issues = found(changed(document, steps, (text) => `${text}\n${text}`));
      const refused = issues.some(({ code, path }) => code === 'bundle.manifest.json' && path === place);
      if (kind === 'text')
        expect(issues.filter(({ level }) => level === 'error')).toEqual(
          found(document).filter(({ level }) => level === 'error'),
        );
      else expect(kind === 'format' ? hasErrors(issues) : refused).toBe(true);
    },
  );
});

it('also checks names that the publisher chooses', () => {
  const [account] = RICH_MANIFEST.accounts;
  const issues = found({ ...RICH_MANIFEST, accounts: [{ ...account, params: { 'prom\u202ept': 'x' } }] });
  expect(issues.map(({ code }) => code)).toContain('bundle.manifest.json');
});

it('ignores unknown fields, and joiners and selectors that a name needs', () => {
  expect(found({ ...RICH_MANIFEST, later: '\u202e' })).toEqual(found(RICH_MANIFEST));
  for (const name of ['👨‍👩‍👧 Family', 'می‌خواهم', 'क्‍ष', '1️⃣ First', '葛󠄀城'])
    expect(found({ ...RICH_MANIFEST, name })).toEqual(found(RICH_MANIFEST));
});
