import { nearest } from './nearest.ts';
import type { Place } from './place.ts';
import { show } from './text.ts';
import { isFields, isList, own } from './values.ts';
import { FIELDS_OF } from './walk/manifest-strings.ts';

/** Fields that only local folders have, or that no code reads. */
const OTHER_FIELDS = 'server activation network settingSections skills hooks mcp adapters secrets'.split(' ');

/** All field names of the format, at any level: a known field name is never a misspelling of another one. */
export const FIELD_NAMES: ReadonlySet<string> = new Set([
  ...Object.values(FIELDS_OF).flat(),
  ...OTHER_FIELDS,
]);

/** Maximum number of fields to compare; larger objects are not written by hand. */
const MAX_KEYS = 500;

/** Returns " Did you mean …?" if a missing field exists under a similar name, otherwise an empty string. For the end of a message. */
export function misspeltIn(fields: unknown, name: string): string {
  if (!isFields(fields) || own(fields, name) !== undefined) return '';
  const keys = Object.keys(fields);
  if (keys.length > MAX_KEYS) return '';
  const similar = nearest(
    name,
    keys.filter((key) => !FIELD_NAMES.has(key)),
  );
  return similar === undefined ? '' : ` Did you mean ${show(name)} instead of ${show(similar)}?`;
}

/** Like `misspeltIn`, for the field at a place. If the surrounding object is missing too, the hint is about that. */
export function misspeltAt(manifest: unknown, place: Place): string {
  if (place.parent === undefined) return '';
  const around = valueAt(manifest, place.parent);
  return around === undefined ? misspeltAt(manifest, place.parent) : misspeltIn(around, String(place.step));
}

/** The value at a place of the manifest; undefined when there is none. */
export function valueAt(manifest: unknown, place: Place): unknown {
  if (place.parent === undefined) return manifest;
  const around = valueAt(manifest, place.parent);
  if (isList(around)) return typeof place.step === 'number' ? around[place.step] : undefined;
  return isFields(around) ? own(around, String(place.step)) : undefined;
}
