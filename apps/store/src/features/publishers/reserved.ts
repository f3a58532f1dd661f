import { reservedNameIn } from '@svc/validator';
import { ApiError } from '../../platform/api-error.ts';
import { lookOf } from './look-of.ts';

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];

/** The skeletons of a text: word by word, and without spaces, since a hyphen is easily overlooked. */
const looksOf = (text: string): [string, string] => {
  const words = wordsOf(text);
  return [words.map(lookOf).join(' '), lookOf(words.join(''))];
};

/** Whether a slug contains a reserved name or a confusable one. */
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
 * Refuses a publisher that would impersonate the store or the owner of a reserved name.
 * @param reservedNames reserved names, in addition to those of the service
 * @throws ApiError invalid_request
 */
export function requireUnreserved(
  reservedNames: readonly string[],
  { slug, name }: { slug?: string; name?: string | undefined },
): void {
  if (slug !== undefined && isReservedSlug(slug, reservedNames)) refuse('slug');
  if (name !== undefined && reservedNameIn(name, reservedNames) !== null) refuse('name');
}
