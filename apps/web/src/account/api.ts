import type { ErrorEnvelope } from '@svc/contracts';
import type { ApiRequest } from '@svc/contracts/client';

/** A refusal of the store, with a message for the user. */
export class RefusedError extends Error {
  readonly envelope: ErrorEnvelope;

  constructor(envelope: ErrorEnvelope) {
    const others = (envelope.issues ?? []).filter(({ message }) => message !== envelope.message);
    // A sentence about a field of the request names it; others are fragments, or about a file.
    const issues = others.map(({ code, path, message }) =>
      code === envelope.code && message.endsWith('.') ? message : `${path.slice(1)} ${message}`,
    );
    // That a request is malformed tells a user nothing beside what is wrong with its fields.
    const about = envelope.code === 'invalid_request' && issues.length > 0 ? [] : [envelope.message];
    super([...about, ...issues].join(' '));
    this.name = 'RefusedError';
    this.envelope = envelope;
  }
}

/** A failed request to the store whose answer has no error envelope. */
export const unexplained = (status: number): string => `The store answered ${status} without a reason.`;

const isEnvelope = (value: unknown): value is ErrorEnvelope =>
  typeof value === 'object' && value !== null && 'code' in value && 'message' in value;

/** Opens the sign-in page, which returns here: the session has ended. */
function redirectToSignIn(): never {
  const { pathname } = window.location;
  window.location.assign(`/sign-in?${new URLSearchParams({ next: pathname })}`);
  throw new Error('You are signed out.');
}

async function bodyOf<T>(response: Response): Promise<T> {
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return body as T;
  if (response.status === 401) redirectToSignIn();
  if (isEnvelope(body)) throw new RefusedError(body);
  throw new Error(unexplained(response.status));
}

/**
 * Sends a request that reads. Cached responses are revalidated: public ones may be cached for a while, and users must see
 * their own changes.
 * @throws RefusedError, or an Error when the store cannot be reached
 */
export const read = async <T>({ path }: ApiRequest<T>): Promise<T> =>
  bodyOf<T>(await fetch(path, { cache: 'no-cache', headers: { Accept: 'application/json' } }));

/** Asks the user for a proof of identity; false when they cancel. */
type Ask = () => Promise<boolean>;

let ask: Ask | null = null;
let asked: Promise<boolean> | null = null;

/** Sets how a page asks for a proof of identity. @returns a function that ends it */
export function askForProof(how: Ask): () => void {
  ask = how;
  return () => {
    if (ask === how) ask = null;
  };
}

/** Asks once for all requests that wait. */
function proveIdentity(): Promise<boolean> {
  asked ??= (ask?.() ?? Promise.resolve(false)).finally(() => {
    asked = null;
  });
  return asked;
}

/**
 * Sends a change to the store. When the store needs a fresh proof of identity for it, the page asks for one, and sends the change again.
 * @param csrf the CSRF token of the session
 * @throws RefusedError, or an Error when the store cannot be reached
 */
export async function send<T>(csrf: string, request: ApiRequest<T>): Promise<T> {
  try {
    return await sendOnce(csrf, request);
  } catch (error) {
    const isStale = error instanceof RefusedError && error.envelope.code === 'reauthentication_required';
    if (isStale && (await proveIdentity())) return sendOnce(csrf, request);
    throw error;
  }
}

async function sendOnce<T>(csrf: string, { method, path, json }: ApiRequest<T>): Promise<T> {
  const headers = { Accept: 'application/json', 'X-Svc-Csrf': csrf };
  const body =
    json === undefined
      ? { headers }
      : { headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(json) };
  return bodyOf<T>(await fetch(path, { method, ...body }));
}
