import fc from 'fast-check';
import { RICH_MANIFEST } from './rich-manifest.ts';

/** Common ways to write a correct value in a wrong form, and some changes that only look like one. */
const CLUMSY: readonly ((text: string) => unknown)[] = [
  (text) => text.toUpperCase(),
  (text) => ` ${text}\n`,
  (text) => `${text}.`,
  (text) => `${text}/`,
  (text) => `https://${text}/`,
  (text) => `https://github.com/${text}.git`,
  (text) => `${text}:443`,
  (text) => `v${text}`,
  (text) => text.replace(/^https:\/\/|^mailto:/, ''),
  (text) => text.replace(/-|_/g, ' '),
  (text) => text.slice(0, -1),
  (text) => `${text}${text.slice(-1)}`,
  (text) => `./${text}`,
  (text) => [text],
  () => 'macOS',
  () => 'x86_64',
  () => 'jpg',
  () => 'claude',
  () => 'always',
];

/** True in `times` of 100 cases; drawn by weight, since fast-check prefers the edges of a number range. */
function seldom(times: number): fc.Arbitrary<boolean> {
  return fc.oneof(
    { weight: times, arbitrary: fc.constant(true) },
    { weight: 100 - times, arbitrary: fc.constant(false) },
  );
}

/** Copies a value, with some parts in a wrong form: texts in another spelling, numbers in quotes, lists doubled or unwrapped. */
function clumsy(value: unknown): fc.Arbitrary<unknown> {
  if (typeof value === 'string') {
    return fc
      .tuple(seldom(6), fc.constantFrom(...CLUMSY))
      .map(([is, change]) => (is ? change(value) : value));
  }
  if (typeof value === 'number' || typeof value === 'boolean') {
    return seldom(10).map((is) => (is ? String(value) : value));
  }
  if (Array.isArray(value)) {
    return fc.tuple(seldom(5), seldom(5), ...value.map(clumsy)).map(([isTwice, isText, ...items]) => {
      if (isTwice) return [...items, ...items];
      return isText && items.every((item) => typeof item === 'string') ? items.join(' ') : items;
    });
  }
  if (typeof value !== 'object' || value === null) return fc.constant(value);
  return clumsyFields(value);
}

/** Copies an object; sometimes a field is left out or misspelt. */
function clumsyFields(fields: object): fc.Arbitrary<unknown> {
  const parts = Object.entries(fields).map(([key, item]) => [key, clumsy(item)] as const);
  const made = fc.record(Object.fromEntries(parts));
  return fc
    .tuple(seldom(4), seldom(4), made, fc.constantFrom(...Object.keys(fields)))
    .map(([isGone, isRenamed, object, key]) => {
      if (isGone) return { ...object, [key]: undefined };
      return isRenamed ? { ...object, [key]: undefined, [`${key}s`]: object[key] } : object;
    });
}

/** Manifests whose faults mostly have one correct fix. */
export const clumsyManifest = clumsy({
  ...RICH_MANIFEST,
  activation: 'manual',
  requires: {
    ...RICH_MANIFEST.requires,
    apps: [...RICH_MANIFEST.requires.apps, { github: 'example/charts', reason: 'Draws.' }],
  },
});
