import { hasVisible, quoteText } from '@svc/text';
import { foldSpelling, nearest, sameSpelling } from './nearest.ts';
import type { Repair } from './rule.ts';

/** Longest part of a value that a message quotes, in UTF-16 code units. */
const MAX_ECHO = 60;

/** Quotes a value for a message. A bundle is untrusted input, so the value is shortened and its invisible characters are escaped. */
export function show(value: unknown): string {
  if (typeof value === 'string') return quoteText(value, MAX_ECHO);
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'function' || typeof value === 'symbol' ? `a ${typeof value}` : String(value);
}

/** Whether a value is a string with visible characters, at most `max` UTF-16 code units long. */
export function isText(value: unknown, max: number): value is string {
  return typeof value === 'string' && value.length <= max && hasVisible(value);
}

/** Message about an invalid required text: missing, of another type, too long or blank. */
export function textFault(field: string, value: unknown, max: number): string {
  if (value === undefined) return `${field} is missing: write 1 to ${max} characters.`;
  if (typeof value !== 'string') return `${field} must be a string, not ${show(value)}.`;
  if (value.length > max) return `${field} has ${value.length} characters: shorten it to ${max} or fewer.`;
  return `${field} is blank: write 1 to ${max} visible characters.`;
}

/** The valid names of a field, and aliases for them. */
export type Names = { readonly all: readonly string[]; readonly aliases: ReadonlyMap<string, string> };

/** @param aliases maps a name that is common elsewhere to the valid one */
export function namesOf(all: readonly string[], aliases: Readonly<Record<string, string>> = {}): Names {
  const folded = Object.entries(aliases).map(([alias, name]) => [foldSpelling(alias), name] as const);
  return { all, aliases: new Map(folded) };
}

/** The valid name for another spelling of it, or for an alias. */
function resolveName(value: unknown, { all, aliases }: Names): string | undefined {
  const same = sameSpelling(value, all);
  return same ?? (typeof value === 'string' ? aliases.get(foldSpelling(value)) : undefined);
}

/** Returns " Did you mean …?" for the end of a message about an invalid name, or an empty string if no name is similar. */
export function didYouMean(value: unknown, names: Names): string {
  const name = resolveName(value, names) ?? nearest(value, names.all);
  return name === undefined ? '' : ` Did you mean ${show(name)}?`;
}

/** Replaces another spelling or an alias by the valid name. A name that is only similar is not repaired. */
export function repairName(value: unknown, names: Names): Repair | undefined {
  const name = resolveName(value, names);
  return name === undefined ? undefined : { put: name };
}
