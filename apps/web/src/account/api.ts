import type { ErrorEnvelope } from '@svc/contracts';

/** What the store said no to, in words for the person who asked. */
export class RefusedError extends Error {
  readonly envelope: ErrorEnvelope;

  constructor(envelope: ErrorEnvelope) {
    super(
      [
        envelope.message,
        ...(envelope.issues ?? []).map(({ path, message }) => `${path.slice(1)} ${message}`),
      ].join(' '),
    );
    this.name = 'RefusedError';
    this.envelope = envelope;
  }
}

const isEnvelope = (value: unknown): value is ErrorEnvelope =>
  typeof value === 'object' && value !== null && 'code' in value && 'message' in value;

/** A person who was signed out meanwhile is led to the sign-in page, and back. */
function leadToSignIn(): never {
  const { pathname } = window.location;
  window.location.assign(`/sign-in?${new URLSearchParams({ next: pathname })}`);
  throw new Error('You are signed out.');
}

async function answerOf<T>(response: Response): Promise<T> {
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return body as T;
  if (response.status === 401) leadToSignIn();
  if (isEnvelope(body)) throw new RefusedError(body);
  throw new Error(`The store answered ${response.status}, and did not say why.`);
}

/**
 * Asks the store for something. What a browser holds is asked about again: some answers are for everybody and may be kept
 * for a while, and a person who has just changed something must see it.
 * @throws RefusedError, or an Error when the store cannot be reached
 */
export const read = async <T>(path: string): Promise<T> =>
  answerOf<T>(await fetch(path, { cache: 'no-cache', headers: { Accept: 'application/json' } }));

/**
 * Has the store change something.
 * @param csrf the token that shows that one of the store's own pages asks
 * @throws RefusedError, or an Error when the store cannot be reached
 */
export async function send<T>(csrf: string, method: string, path: string, json?: unknown): Promise<T> {
  const headers = { Accept: 'application/json', 'X-Svc-Csrf': csrf };
  const body =
    json === undefined
      ? { headers }
      : { headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(json) };
  return answerOf<T>(await fetch(path, { method, ...body }));
}
