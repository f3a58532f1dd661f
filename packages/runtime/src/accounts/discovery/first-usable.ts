import { OAuthError } from '../oauth-error.ts';
import { objectIn, type Requests } from '../requests.ts';

/** What a place has: a usable document, the fault of an unusable one, or nothing. */
type Found<T> = { usable: T } | { fault: OAuthError } | 'nothing' | { unanswered: OAuthError };

/** Runs a step, and returns its OAuthError; throws any other. */
async function caught<T, E>(work: () => T | Promise<T>, named: (error: OAuthError) => E): Promise<T | E> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OAuthError) return named(error);
    throw error;
  }
}

async function readPlace<T>(
  requests: Pick<Requests, 'read'>,
  place: string,
  parse: (body: Record<string, unknown>) => T,
): Promise<Found<T>> {
  const response = await caught(
    () => requests.read(place),
    (unanswered) => ({ unanswered }),
  );
  if ('unanswered' in response) return response;
  const body = response.status === 200 ? await objectIn(response) : null;
  if (body === null) return 'nothing';
  return caught(
    () => ({ usable: parse(body) }),
    (fault) => ({ fault }),
  );
}

/**
 * Reads a document from the first of several places that has a usable one. What another place answers, an error, a page, a redirect to
 * another site, does not matter.
 * @param parse throws an OAuthError for a document that is not usable
 * @returns null when no place has a document
 * @throws OAuthError the first one of `parse`, when there are documents, but none is usable; else that of a place that did not answer
 */
export async function firstUsable<T>(
  requests: Pick<Requests, 'read'>,
  places: readonly string[],
  parse: (body: Record<string, unknown>) => T,
): Promise<T | null> {
  const others: Found<T>[] = [];
  for (const place of places) {
    const found = await readPlace(requests, place, parse);
    if (typeof found === 'object' && 'usable' in found) return found.usable;
    others.push(found);
  }
  for (const found of others) if (typeof found === 'object' && 'fault' in found) throw found.fault;
  for (const found of others) if (typeof found === 'object' && 'unanswered' in found) throw found.unanswered;
  return null;
}
