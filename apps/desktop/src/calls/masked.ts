import { cleanLine } from '@svc/text';

const MASK = '[masked]';

/** Longest text of one value, and of the line, in characters. */
const MAX_VALUE = 200;
const MAX_LINE = 600;
/** Deepest nesting that is shown. */
const MAX_DEPTH = 6;
/** Most values of one list or object that are shown. */
const MAX_ITEMS = 20;

/** Names of fields that hold secrets. */
const SECRET_NAME =
  /pass(?:word|phrase|code)?|secret|token|authori[sz]ation|api[-_]?key|credential|cookie|bearer|private[-_]?key/i;

/** Texts that look like tokens: after an auth scheme, JWTs, with a known prefix, or long and random. */
const SECRET_TEXT =
  /\b(?:bearer|basic)\s+[\w.~+/=-]{8,}|\beyJ[\w-]+\.[\w-]+\.[\w-]*|\b(?:sk|pk|rk|gh[a-z]|github_pat|glpat|xox[a-z]|svc[a-z]|npm|AKIA)[-_]?[\w-]{16,}|(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{32,}/gi;

const maskText = (text: string): string => {
  // Only the start is scanned, because a server may send a megabyte. The last word is dropped: it may be half a token.
  const limit = 8 * MAX_VALUE;
  const scanned = text.length <= limit ? text : text.slice(0, limit).replace(/(?<!\S)\S*$/, '');
  return cleanLine(scanned.replace(SECRET_TEXT, MASK), MAX_VALUE);
};

function mask(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return maskText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return '…';
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => mask(item, depth - 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MAX_ITEMS)
      .map(([name, item]) => [maskText(name), SECRET_NAME.test(name) ? MASK : mask(item, depth - 1)]),
  );
}

/**
 * Formats a value as one short line for display. Everything that looks like a token, or is named like one, is masked. It may mask too
 * much; no behaviour depends on it.
 */
export function masked(value: unknown): string {
  const text = typeof value === 'string' ? maskText(value) : JSON.stringify(mask(value, MAX_DEPTH));
  return cleanLine(text ?? '', MAX_LINE);
}
