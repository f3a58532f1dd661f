import { reservedNameIn } from '@svc/validator';
import { ApiError } from '../platform/api-error.ts';
import { lookOf } from './look-of.ts';

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];

/** Each word of a text as it looks, and all of them as one, since a hyphen is easily overlooked. */
const looksOf = (text: string): [string, string] => {
  const words = wordsOf(text);
  return [words.map(lookOf).join(' '), lookOf(words.join(''))];
};

/** Whether a slug holds a reserved name, or what looks like one. */
function isReservedSlug(slug: string, reservedNames: readonly string[]): boolean {
  if (reservedNameIn(slug, reservedNames) !== null) return true;
  const [words, whole] = looksOf(slug);
  const reserved = reservedNames.map(looksOf);
  return (
    reservedNameIn(
      words,
      reserved.map(([look]) => look),
    ) !== null ||
    reservedNameIn(
      whole,
      reserved.map(([, look]) => look),
    ) !== null
  );
}

const refuse = (field: 'slug' | 'name'): never => {
  const message = `This ${field} contains a reserved name: choose one without it.`;
  throw new ApiError('invalid_request', message, {
    issues: [{ code: 'invalid_request', level: 'error', path: `/${field}`, message }],
  });
};

/**
 * Refuses a publisher that would pass itself off as the store, or as one with a protected name.
 * @param reservedNames names beside the service's own
 * @throws ApiError invalid_request
 */
export function requireUnreserved(
  reservedNames: readonly string[],
  { slug, name }: { slug?: string; name?: string | undefined },
): void {
  if (slug !== undefined && isReservedSlug(slug, reservedNames)) refuse('slug');
  if (name !== undefined && reservedNameIn(name, reservedNames) !== null) refuse('name');
}
