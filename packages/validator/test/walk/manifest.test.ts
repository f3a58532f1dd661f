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

/** The class of the text at a place, by `TEXT_CLASSES`. */
function classAt(steps: Steps): string {
  const fits = (pointer: string) => {
    const parts = pointer.slice(1).split('/');
    return parts.length === steps.length && parts.every((part, i) => part === '*' || part === steps[i]);
  };
  const [, kind = 'missing'] = Object.entries(TEXT_CLASSES).find(([pointer]) => fits(pointer)) ?? [];
  return kind;
}

/** The rich manifest, with the kinds of strings that it lacks. */
const FULL = {
  ...RICH_MANIFEST,
  requires: { ...RICH_MANIFEST.requires, apps: [{ id: 'media', github: 'a/b', reason: 'Plays.' }] },
  contributes: {
    ...RICH_MANIFEST.contributes,
    tools: [
      { ...RICH_MANIFEST.contributes.tools[0], remoteName: 'find-notes' },
      ...RICH_MANIFEST.contributes.tools.slice(1),
    ],
    settings: [{ ...RICH_MANIFEST.contributes.settings[0], default: 'dark' }],
  },
};

const PLACES = stringsOf(FULL);
const found = (manifest: unknown) => validateManifest(manifest, { mode: 'store' });

describe('every string of a manifest', () => {
  it('has a line in TEXT_CLASSES, and each line has an example', () => {
    expect(PLACES.map(classAt)).not.toContain('missing');
    const pointers = new Set(PLACES.map((steps) => `/${steps.join('/')}`));
    const untried = Object.keys(TEXT_CLASSES).filter((pointer) => {
      const pattern = new RegExp(`^${pointer.replaceAll('$', '\\$').replaceAll('*', '[^/]+')}$`);
      return ![...pointers].some((given) => pattern.test(given));
    });
    // A media request may hold only the parameters of its operation, so the examples are in several requests.
    expect(untried).toEqual([]);
  });

  const shown = PLACES.filter((steps) => classAt(steps) !== 'unshown').map((steps) => ({
    place: `/${steps.join('/')}`,
    steps,
    kind: classAt(steps),
  }));

  it.each(shown)('refuses hidden characters in $place', ({ steps, place, kind }) => {
    for (const evil of ['\u202e', '\u0000', '\u001b[2J', '\u200b', '\u2028', '\ue000', '\u00ad']) {
      const issues = found(changed(FULL, steps, (text) => `${text.slice(0, 1)}${evil}${text.slice(1)}`));
      expect(hasErrors(issues)).toBe(true);
      if (kind === 'format') continue;
      const issue = issues.find(({ code, path }) => code === 'bundle.manifest.json' && path === place);
      expect(issue?.message).toContain(`U+${evil.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`);
      expect(issue?.message).not.toContain(evil);
    }
  });

  it.each(shown)('accepts line feeds in $place only if its class allows them', ({ steps, place, kind }) => {
    const issues = found(changed(FULL, steps, (text) => `${text}\n${text}`));
    const refused = issues.some(({ code, path }) => code === 'bundle.manifest.json' && path === place);
    if (kind === 'text')
      expect(issues.filter(({ level }) => level === 'error')).toEqual(
        found(FULL).filter(({ level }) => level === 'error'),
      );
    else expect(kind === 'format' ? hasErrors(issues) : refused).toBe(true);
  });
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
