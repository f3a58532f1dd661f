import type { ErrorEnvelope } from '@svc/contracts';
import type { ApiRequest } from '@svc/contracts/client';
import { isObject } from '@svc/contracts/is-object';
import { startRead, takeEarly } from '../first-reads.ts';

/** A refusal of the store, with a message for the user. */
export class RefusedError extends Error {
  readonly envelope: ErrorEnvelope;
  /** Whether another try fails in the same way: what was asked for does not exist, or not for this user. */
  readonly isFinal: boolean;

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
    this.isFinal = envelope.code === 'not_found';
  }
}

/** A failed request to the store whose answer has no error envelope. */
export const unexplained = (status: number): string => `The store answered ${status} without a reason.`;

export const isEnvelope = (value: unknown): value is ErrorEnvelope =>
  isObject(value) && 'code' in value && 'message' in value;

let isLeaving = false;

/**
 * Notes when this page is left. It is not when the back button brings it back, or when the user goes on with it: they may have stayed, or
 * the link was a download.
 */
export function noteLeaving(): void {
  window.addEventListener('beforeunload', ({ isTrusted }) => {
    // Without one of the browser, another page of this application is shown.
    isLeaving = isTrusted;
  });
  for (const name of ['pageshow', 'pointerdown', 'keydown'])
    window.addEventListener(name, () => {
      isLeaving = false;
    });
}

/** Opens the sign-in page, which returns to this page. */
export function leaveToSignIn(): void {
  const { pathname, search } = window.location;
  window.location.assign(`/sign-in?${new URLSearchParams({ next: pathname + search })}`);
}

/** The session has ended. */
class SignedOutError extends Error {
  constructor() {
    super('You are signed out.');
    this.name = 'SignedOutError';
  }
}

/** Whether a failure may pass by itself: the store cannot be reached, or is unavailable. */
export const mayPass = (error: Error): boolean =>
  error instanceof RefusedError ? error.envelope.code === 'unavailable' : !(error instanceof SignedOutError);

/** The answer to a request. @throws an Error for the user when the store cannot be reached */
const reach = (answer: Promise<Response>): Promise<Response> =>
  answer.catch(() => {
    throw new Error('The store cannot be reached. Check your connection, and retry.');
  });

async function bodyOf<T>(response: Response): Promise<T> {
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return body as T;
  if (response.status === 401) throw new SignedOutError();
  if (isEnvelope(body)) throw new RefusedError(body);
  throw new Error(unexplained(response.status));
}

/**
 * Sends a request that reads, and asks the user for nothing. The first ones of a page are on their way already.
 * @throws RefusedError, SignedOutError, or an Error when the store cannot be reached
 */
export const readOnce = async <T>(request: ApiRequest<T>): Promise<T> =>
  bodyOf<T>(await reach(takeEarly(request) ?? startRead(request)));

/**
 * What a refused request needs: the token of a session that another tab began, a new session, or a fresh proof of identity. A refusal
 * for another reason than the token says the same.
 */
export type Need = 'token' | 'session' | 'proof';

/** Gets it, from the user where it must. Returns the CSRF token of the session; null when there is no new one, or they cancel. */
type Ask = (need: Need) => Promise<string | null>;

let ask: Ask | null = null;
let asked: Promise<string | null> | null = null;

/** Sets how a page asks for what a request needs. @returns a function that ends it */
export function askForNeeds(how: Ask): () => void {
  ask = how;
  return () => {
    if (ask === how) ask = null;
  };
}

/** Asks once for all requests that wait. */
function askUser(need: Need): Promise<string | null> {
  asked ??= (ask?.(need) ?? Promise.resolve(null)).finally(() => {
    asked = null;
  });
  return asked;
}

function needOf(error: unknown): Need | null {
  if (error instanceof SignedOutError) return 'session';
  const code = error instanceof RefusedError ? error.envelope.code : null;
  return code === 'reauthentication_required' ? 'proof' : code === 'forbidden' ? 'token' : null;
}

/**
 * Sends a request again once the user has given what it needs: what they entered on the page stays meanwhile. A page that shows nothing
 * yet opens the sign-in page instead. One that is left already, as after *Sign out*, goes where that leads: its own requests may be
 * refused before it is gone.
 */
async function withNeeds<T>(send: (csrf: string | undefined) => Promise<T>): Promise<T> {
  try {
    return await send(undefined);
  } catch (error) {
    const need = needOf(error);
    if (need === null || isLeaving) throw error;
    if (need === 'session' && ask === null) leaveToSignIn();
    const csrf = await askUser(need);
    if (csrf === null) throw error;
    return send(csrf);
  }
}

/** Sends a request that reads, as `readOnce`; asks the user to sign in again after the session has ended. */
export const read = <T>(request: ApiRequest<T>): Promise<T> => withNeeds(() => readOnce(request));

/**
 * Sends a change to the store. When the store needs a fresh proof of identity for it, or the session has ended, the page asks for it, and
 * sends the change again.
 * @param csrf the CSRF token of the session
 * @throws RefusedError, or an Error when the store cannot be reached
 */
export const send = <T>(csrf: string, request: ApiRequest<T>): Promise<T> =>
  withNeeds((fresh = csrf) => sendOnce(fresh, request));

async function sendOnce<T>(csrf: string, { method, path, json }: ApiRequest<T>): Promise<T> {
  const headers = { Accept: 'application/json', 'X-Svc-Csrf': csrf };
  const body =
    json === undefined
      ? { headers }
      : { headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(json) };
  return bodyOf<T>(await reach(fetch(path, { method, ...body })));
}
