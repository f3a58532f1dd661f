import { hasVisible, quoteText } from '@svc/text';

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
