import { cleanLine } from '@svc/text';

const MASK = '[masked]';

/** Longest text that is shown of one value, and of a whole line, in characters. */
const MAX_VALUE = 200;
const MAX_LINE = 600;
/** How deep a value is looked into; what lies deeper is left out. */
const MAX_DEPTH = 6;
/** Values that are shown of one list or object. */
const MAX_ITEMS = 20;

/** Names of what nobody should read over a shoulder. */
const SECRET_NAME =
  /pass(?:word|phrase|code)?|secret|token|authori[sz]ation|api[-_]?key|credential|cookie|bearer|private[-_]?key/i;

/** What is a token by its look: behind its scheme, a JWT, with the mark of a known issuer, or long and without words. */
const SECRET_TEXT =
  /\b(?:bearer|basic)\s+[\w.~+/=-]{8,}|\beyJ[\w-]+\.[\w-]+\.[\w-]*|\b(?:sk|pk|rk|gh[a-z]|github_pat|glpat|xox[a-z]|svc[a-z]|npm|AKIA)[-_]?[\w-]{16,}|(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{32,}/gi;

const maskText = (text: string): string => {
  // Looked at in part, as a server may send a megabyte; what the cut goes through may be the half of a token.
  const most = 8 * MAX_VALUE;
  const seen = text.length <= most ? text : text.slice(0, most).replace(/(?<!\S)\S*$/, '');
  return cleanLine(seen.replace(SECRET_TEXT, MASK), MAX_VALUE);
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
 * A value as one short line for people: what looks like a token, or is named like one, is masked. It may mask too much;
 * nothing that is done depends on it.
 */
export function masked(value: unknown): string {
  const text = typeof value === 'string' ? maskText(value) : JSON.stringify(mask(value, MAX_DEPTH));
  return cleanLine(text ?? '', MAX_LINE);
}
