import type { FileRule } from '@svc/contracts';
import { LIMITS } from '@svc/contracts/vocabulary';
import { sizeText } from '@svc/ui/text';

type Named = { name: string; type: string; size: number };

/** Most bytes of one file. Files with a `prepare` rule may be larger: they are measured after it. */
const limitOf = ({ maxBytes = LIMITS.file.maxBytes }: FileRule): number => maxBytes;

export function hintOf(rule: FileRule): string {
  const types = rule.accept?.length ? ` (${rule.accept.join(', ')})` : '';
  const files = rule.multiple ? 'files' : 'a file';
  return `Drop or choose ${files}${types}, up to ${sizeText(limitOf(rule))}${rule.multiple ? ' each' : ''}.`;
}

const MEDIA = /^(?:image|audio|video)\//;

/** Whether a media type is accepted. Browsers are only reliable about images, audio and video; other types always pass here. */
const fits = (type: string, accept: readonly string[]): boolean =>
  !MEDIA.test(type) ||
  accept.some((accepted) => {
    const kind = accepted.slice(0, accepted.indexOf('/') + 1);
    return accepted === '*/*' || (MEDIA.test(accepted) && type.startsWith(kind));
  });

/**
 * Checks a file before the upload. The desktop checks again by content, because browsers derive the type from the file name.
 * @returns the error message; null for a file that passes
 */
export function faultOf({ name, type, size }: Named, rule: FileRule): string | null {
  const { accept = [], prepare } = rule;
  if (!prepare && size > limitOf(rule)) return `${name} is larger than ${sizeText(limitOf(rule))}.`;
  return accept.length > 0 && !fits(type, accept)
    ? `${name} is not an accepted type (${accept.join(', ')}).`
    : null;
}
