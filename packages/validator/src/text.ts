import { hasVisible, quoteText } from '@svc/text';

/** Longest piece of a value that a message repeats, in UTF-16 code units. */
const MAX_ECHO = 60;

/** The bytes of a bundle are anybody's, so a message repeats a value short, quoted and with nothing hidden in it. */
export function show(value: unknown): string {
  if (typeof value === 'string') return quoteText(value, MAX_ECHO);
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'function' || typeof value === 'symbol' ? `a ${typeof value}` : String(value);
}

/** A string a person can read, at most `max` UTF-16 code units long. */
export function isText(value: unknown, max: number): value is string {
  return typeof value === 'string' && value.length <= max && hasVisible(value);
}

/** Says of a required text what is the matter: gone, of another type, blank or too long. */
export function textFault(field: string, value: unknown, max: number): string {
  if (value === undefined) return `${field} is missing: write 1 to ${max} characters.`;
  if (typeof value !== 'string') return `${field} must be a string, not ${show(value)}.`;
  if (value.length > max) return `${field} has ${value.length} characters: shorten it to ${max} or fewer.`;
  return `${field} is blank: write 1 to ${max} characters that can be seen.`;
}
