import { type ComparedField, FIELDS, placeOf } from './fields.ts';

/** RFC 6901 section 3: `~` and `/` in a key. */
const escapeKey = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');
const unescapeKey = (key: string): string => key.replaceAll('~1', '/').replaceAll('~0', '~');

/** Builds the JSON Pointer of a place, with a key for each `*`. */
export function pointerOf(place: string, keys: readonly string[]): string {
  let next = 0;
  return place.replaceAll('*', () => escapeKey(keys[next++] ?? ''));
}

/** The ancestors of a pointer, from the whole document (`''`) down. */
export function ancestorsOf(pointer: string): string[] {
  const steps = pointer.split('/').slice(1);
  return steps.map((_, end) =>
    steps
      .slice(0, end)
      .map((step) => `/${step}`)
      .join(''),
  );
}

const PLACES = (Object.keys(FIELDS) as (keyof typeof FIELDS)[])
  .filter((field): field is ComparedField => 'facts' in FIELDS[field])
  .map((field) => ({ field, steps: placeOf(field).split('/').slice(1) }));

/**
 * Finds the field of a change, and the keys for each `*` of its path.
 * @param path `path` of a change
 * @returns null for an unknown path
 */
export function fieldOf(path: string): { field: ComparedField; keys: string[] } | null {
  const given = path.split('/').slice(1);
  const place = PLACES.find(
    ({ steps }) =>
      steps.length === given.length && steps.every((step, i) => step === '*' || step === given[i]),
  );
  if (!place) return null;
  const keys = given.filter((_, i) => place.steps[i] === '*').map(unescapeKey);
  return { field: place.field, keys };
}
