import type { FileRule } from '@svc/contracts';
import { LIMITS } from '@svc/contracts/vocabulary';
import { sizeText } from '../parts/figures.ts';
import { WORDS } from '../words.ts';

const SAY = WORDS.tools;

type Named = { name: string; type: string; size: number };

/** Bytes that one file may have. What is prepared first may be larger: it is measured after. */
const limitOf = ({ maxBytes = LIMITS.file.maxBytes }: FileRule): number => maxBytes;

export const hintOf = (rule: FileRule): string =>
  SAY.files((rule.accept ?? []).join(', '), rule.multiple ?? false, sizeText(limitOf(rule)));

const fits = (type: string, accept: string): boolean =>
  accept.endsWith('/*') ? type.startsWith(accept.slice(0, -1)) : type === accept;

/**
 * What is wrong with a file before it is handed over, in words; null when nothing is. The desktop judges again, by content:
 * what a browser calls a file is only its name's ending.
 */
export function faultOf({ name, type, size }: Named, rule: FileRule): string | null {
  const { accept = [], prepare } = rule;
  if (!prepare && size > limitOf(rule)) return SAY.tooLarge(name, sizeText(limitOf(rule)));
  const isKnown = type !== '' && accept.length > 0;
  return isKnown && !accept.some((one) => fits(type, one)) ? SAY.wrongType(name, accept.join(', ')) : null;
}
