import type { FileRule } from '@svc/contracts';
import { LIMITS } from '@svc/contracts/vocabulary';
import { sizeText } from '../parts/figures.ts';
import { WORDS } from '../words.ts';

const MESSAGES = WORDS.tools;

type Named = { name: string; type: string; size: number };

/** Bytes that one file may have. What is prepared first may be larger: it is measured after. */
const limitOf = ({ maxBytes = LIMITS.file.maxBytes }: FileRule): number => maxBytes;

export const hintOf = (rule: FileRule): string =>
  MESSAGES.files((rule.accept ?? []).join(', '), rule.multiple ?? false, sizeText(limitOf(rule)));

const MEDIA = /^(?:image|audio|video)\//;

/** Whether a type is one of those, as far as a browser knows: of everything but media it has names of its own, or none. */
const fits = (type: string, accept: readonly string[]): boolean =>
  !MEDIA.test(type) ||
  accept.some((one) => {
    const kind = one.slice(0, one.indexOf('/') + 1);
    return one === '*/*' || (MEDIA.test(one) && type.startsWith(kind));
  });

/**
 * What is wrong with a file before it is handed over, in words; null when nothing is. The desktop judges again, by content:
 * what a browser calls a file is only its name's ending.
 */
export function faultOf({ name, type, size }: Named, rule: FileRule): string | null {
  const { accept = [], prepare } = rule;
  if (!prepare && size > limitOf(rule)) return MESSAGES.tooLarge(name, sizeText(limitOf(rule)));
  return accept.length > 0 && !fits(type, accept) ? MESSAGES.wrongType(name, accept.join(', ')) : null;
}
