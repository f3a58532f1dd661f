import fc from 'fast-check';
import { RICH_MANIFEST } from './rich-manifest.ts';

/** Ways in which people write a value that is right but for its form, and some that only look like it. */
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

/** True this many times in a hundred; drawn by weight, since fast-check prefers the edges of a range of numbers. */
function seldom(times: number): fc.Arbitrary<boolean> {
  return fc.oneof(
    { weight: times, arbitrary: fc.constant(true) },
    { weight: 100 - times, arbitrary: fc.constant(false) },
  );
}

/** Copies a value, writing some of it clumsily: texts in another form, numbers in quotes, lists doubled or unwrapped. */
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

/** Copies an object, leaving a field out now and then, or giving it nearly its name. */
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

/** Manifests whose faults mostly have one right answer. */
export const clumsyManifest = clumsy({
  ...RICH_MANIFEST,
  activation: 'manual',
  requires: {
    ...RICH_MANIFEST.requires,
    apps: [...RICH_MANIFEST.requires.apps, { github: 'example/charts', reason: 'Draws.' }],
  },
});
