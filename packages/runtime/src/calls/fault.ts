import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { cleanLine } from '@svc/text';
import { refusalOf } from '../network/guarded-fetch.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import { RetryLaterError } from './lenient/lenient-fetch.ts';
import { CUT_OFF, TOO_LARGE } from './lenient/repair-envelope.ts';
import type { Secrets } from './secrets.ts';

/** Maximum quoted length of a server's message, in characters. */
const MAX_WORDS = 500;

/** The chain of causes of an error, starting with the error. */
export function* causesOf(error: unknown): Generator<unknown> {
  for (let at = error, depth = 0; at !== undefined && depth < 8; depth += 1) {
    yield at;
    at = at instanceof Error ? at.cause : undefined;
  }
}

/** Whether the error comes from undici, such as while a body is read. */
const isOfNetwork = (error: unknown): boolean =>
  [...causesOf(error)].some(
    (cause) => cause instanceof Error && 'code' in cause && String(cause.code).startsWith('UND_ERR'),
  );

/** Quotes a message of a server: bounded, on one line, without tokens. */
export const quoted = (words: string, secrets: Secrets): string =>
  cleanLine(secrets.strip(words.slice(0, 4 * MAX_WORDS)), MAX_WORDS);

/** Fields in which services put the words of an error, outermost first. */
const WORDS = ['message', 'error_description', 'detail', 'title', 'reason', 'error'];

/** The words of a server in the body of a refusal; empty for a page, or a body without words. */
function wordsIn(body: string): string {
  const text = body.trim();
  if (!/^[{["]/.test(text)) return text.startsWith('<') ? '' : text;
  try {
    let found: unknown = JSON.parse(text);
    for (let depth = 0; depth < 3 && typeof found === 'object' && found !== null; depth += 1) {
      const fields: Record<string, unknown> = { ...found };
      // JSON-RPC 2.0 section 5.1: the words are within the error.
      found = WORDS.map((name) => fields[name]).find((value) => value !== undefined && value !== null);
    }
    return typeof found === 'string' ? found : '';
  } catch {
    return text;
  }
}

/** What a server answered with an HTTP status, with its own words. */
function refusedWith(status: number, body: string, secrets: Secrets): string {
  const words = quoted(wordsIn(body), secrets);
  return `The app’s server answers ${status}.${words === '' ? '' : ` It says: ${words}`}`;
}

const cutOff = (): RuntimeError =>
  new RuntimeError('unreachable', 'The app’s server closed the connection before it answered.');

function rpcFault({ code, message }: ProtocolError, secrets: Secrets): RuntimeError {
  if (message === TOO_LARGE.message) return new RuntimeError('too-large');
  if (message === CUT_OFF.message) return cutOff();
  return new RuntimeError('server-failed', `The app’s server says: ${quoted(message, secrets)}`, {
    detail: { rpc: code },
  });
}

function limitFault({ status, text, retryAfter }: RetryLaterError, secrets: Secrets): RuntimeError {
  const when = retryAfter === null ? 'later' : `in ${retryAfter} s`;
  return new RuntimeError('server-failed', `${refusedWith(status, text, secrets)} Try again ${when}.`, {
    detail: { status, ...(retryAfter !== null && { retryAfter }) },
  });
}

const bodyIn = ({ data }: SdkHttpError): string =>
  typeof data === 'object' && data !== null && 'text' in data && typeof data.text === 'string'
    ? data.text
    : '';

/**
 * Converts an error of the MCP client to a RuntimeError. It has no `cause`: errors of the MCP client contain data of the server,
 * which may include a token.
 * @param signal if aborted, its reason is returned
 */
export function faultOf(error: unknown, signal: AbortSignal, secrets: Secrets): unknown {
  if (signal.aborted) return signal.reason;
  for (const cause of causesOf(error)) {
    if (cause instanceof RuntimeError) return cause;
    if (cause instanceof RetryLaterError) return limitFault(cause, secrets);
  }
  if (isOfNetwork(error)) return refusalOf(error, signal);
  if (error instanceof ProtocolError) return rpcFault(error, secrets);
  if (error instanceof SdkHttpError) {
    const { status } = error;
    return new RuntimeError('server-failed', refusedWith(status, bodyIn(error), secrets), {
      detail: { status },
    });
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed) return cutOff();
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return new RuntimeError('too-slow');
  return new RuntimeError('server-failed');
}

/** Words of a 400 about the session: servers answer it after a restart, instead of 404. */
const ABOUT_SESSION = /session|not (?:been )?initiali[sz]ed|initiali[sz]e first/i;

/** Whether a server no longer knows the session (Streamable HTTP, "Session Management": 404; many servers: 400). */
export const isSessionLost = (error: unknown): boolean =>
  error instanceof SdkHttpError &&
  (error.status === 404 || (error.status === 400 && ABOUT_SESSION.test(wordsIn(bodyIn(error)))));
