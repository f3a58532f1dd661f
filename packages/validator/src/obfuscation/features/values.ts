import type { Literal, TemplateElement, UnaryExpression } from 'acorn';
import { defineFeature } from '../feature.ts';
import { isString } from '../nodes.ts';

const SHORT_HEX = /^0x[0-9a-f]$/;
const isNumber = ({ value }: Literal): boolean => typeof value === 'number';

/** Letters, digits and the space as escapes of JavaScript or of URLs. */
const ESCAPE =
  /\\x(?:20|3[0-9]|[46][1-9a-f]|[57][0-9a])|\\u00(?:20|3[0-9]|[46][1-9a-f]|[57][0-9a])|\\1[0-7][0-7]|%(?:3[0-9]|[46][1-9a-f]|[57][0-9a])/gi;
const ESCAPE_LENGTH = 4;

/** The source of a text without escaped backslashes; empty for numbers and other values. */
function rawOf(node: Literal | TemplateElement): string {
  const raw = node.type === 'TemplateElement' ? node.value.raw : isString(node) ? (node.raw ?? '') : '';
  return raw.includes('\\\\') ? raw.replaceAll('\\\\', '') : raw;
}

function escapesIn(raw: string): number {
  return raw.includes('\\') || raw.includes('%') ? (raw.match(ESCAPE)?.length ?? 0) : 0;
}

const ESCAPED_SPACE = '\\x20';

/** A long text without repeated characters is an alphabet; those of base64 have only 64 or 65. */
const LONG_ALPHABET = 80;
/** Lowercase letters first: the base64 alphabet of javascript-obfuscator. */
const OWN_BASE64 = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=';

function isOddAlphabet({ value }: Literal): boolean {
  if (typeof value !== 'string' || value.length > 128) return false;
  return value === OWN_BASE64 || (value.length >= LONG_ALPHABET && new Set(value).size === value.length);
}

const isEmptyArrayValue = ({ operator, argument }: UnaryExpression): boolean =>
  (operator === '!' || operator === '+') &&
  argument.type === 'ArrayExpression' &&
  argument.elements.length === 0;

/** How values are written. A minifier uses the shortest form: `!0`, `5`, unescaped characters. */
export const valueFeatures = [
  defineFeature('six characters', ['UnaryExpression'], {
    count: isEmptyArrayValue,
    enough: 100,
    weight: 60,
    says: () => 'it consists only of the characters `[]()!+`',
  }),
  defineFeature('empty arrays', ['UnaryExpression'], {
    count: isEmptyArrayValue,
    enough: 3,
    weight: 45,
    says: (hits) => `${hits} plain values are computed from an empty array, like \`!![]\``,
  }),
  defineFeature('short hexadecimal numbers', ['Literal'], {
    count: (node) => isNumber(node) && SHORT_HEX.test(node.raw ?? ''),
    chances: (node) => Number(isNumber(node)),
    share: 0.1,
    enough: 10,
    weight: 30,
    says: (hits) => `${hits} numbers below 16 are hexadecimal`,
  }),
  defineFeature('hexadecimal numbers', ['Literal'], {
    count: (node) => isNumber(node) && node.raw?.startsWith('0x') === true,
    chances: (node) => Number(isNumber(node)),
    share: 0.9,
    enough: 10,
    weight: 15,
    says: (_hits, percent) => `${percent} % of the numbers are hexadecimal`,
  }),
  defineFeature('escapes', ['Literal', 'TemplateElement'], {
    count: (node) => escapesIn(rawOf(node)),
    chances: (node) => rawOf(node).length / ESCAPE_LENGTH,
    share: 0.4,
    enough: 60,
    weight: 90,
    says: (hits) => `${hits} plain characters are written as escapes`,
  }),
  defineFeature('escaped spaces', ['Literal'], {
    count: (node) => rawOf(node).split(ESCAPED_SPACE).length - 1,
    enough: 4,
    weight: 60,
    says: (hits) => `${hits} spaces are written as \`\\x20\``,
  }),
  defineFeature('odd alphabet', ['Literal'], {
    count: isOddAlphabet,
    enough: 1,
    weight: 25,
    says: () => 'strings are decoded with a custom alphabet',
  }),
];
