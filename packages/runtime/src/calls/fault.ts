import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { causesOf } from '@svc/contracts/causes';
import { cleanLine } from '@svc/text';
import { refusalOf } from '../network/guarded-fetch.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import { RetryLaterError } from './lenient/lenient-fetch.ts';
import { CUT_OFF, TOO_LARGE } from './lenient/repair-envelope.ts';
import type { Secrets } from './secrets.ts';

/** Maximum quoted length of a server's message, in characters. */
const MAX_WORDS = 500;

/** Whether the error comes from undici, such as while a body is read. */
const isOfNetwork = (error: unknown): boolean =>
  causesOf(error).some(({ code }) => String(code).startsWith('UND_ERR'));

/** Quotes a message of a server: bounded, on one line, without tokens. */
export const quoted = (words: string, secrets: Secrets): string =>
  cleanLine(secrets.strip(words.slice(0, 4 * MAX_WORDS)), MAX_WORDS);

/** Fields in which services put the words of an error, outermost first. */
const WORDS = [
  'message',
  'error_description',
  'detail',
  'title',
  'reason',
  'error',
  'details',
  'errors',
  'msg',
  // The result of a tool, with the status of an error.
  ...['result', 'content', 'text'],
];

/** The words in the error of a service, of the first one in a list; empty without words. */
function wordsOf(error: unknown): string {
  let found = error;
  for (let depth = 0; depth < 4 && typeof found === 'object'; depth += 1) {
    const fields: Record<string, unknown> = { ...found };
    // JSON-RPC 2.0 section 5.1: the words are within the error.
    found = ['0', ...WORDS]
      .map((name) => fields[name])
      .find((value) => value !== undefined && value !== null);
  }
  return typeof found === 'string' ? found : '';
}

/** The words of a server in the body of a refusal; empty for a page, or a body without words. */
function wordsIn(body: string): string {
  const text = body.trim();
  if (!/^[{["]/.test(text)) return text.startsWith('<') ? '' : text;
  try {
    return wordsOf(JSON.parse(text));
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

function rpcFault({ code, message, data }: ProtocolError, secrets: Secrets): RuntimeError {
  if (message === TOO_LARGE.message) return new RuntimeError('too-large');
  if (message === CUT_OFF.message) return cutOff();
  // JSON-RPC 2.0 section 5.1: the message may be the title of its code alone, such as "Invalid params".
  const more = wordsOf(data);
  const words = message.includes(more) ? message : `${message}: ${more}`;
  return new RuntimeError('server-failed', `The app’s server says: ${quoted(words, secrets)}`, {
    detail: { rpc: code },
  });
}

function limitFault({ status, text, retryAfter }: RetryLaterError, secrets: Secrets): RuntimeError {
  const when = retryAfter === null ? 'later' : `in ${retryAfter} s`;
  return new RuntimeError('server-failed', `${refusedWith(status, text, secrets)} Try again ${when}.`, {
    detail: { status, ...(retryAfter !== null && { retryAfter }) },
  });
}

/** The body of a refusal, as text; empty without one. */
export function bodyIn({ data }: SdkHttpError): string {
  const { text } = (data ?? {}) as { text?: unknown };
  return typeof text === 'string' ? text : '';
}

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

/** Words about a session that a server does not know, beside other statuses and in errors of JSON-RPC. */
const UNKNOWN_SESSION =
  /\bsession\b.{0,40}\b(?:not found|unknown|expired|invalid|terminated|closed|mismatch|required|not (?:been )?initiali[sz]ed)\b|\b(?:unknown|invalid|expired|missing|no valid)\b.{0,20}\bsession\b/i;

/** Codes with which servers say so: invalid requests, and those that JSON-RPC 2.0 section 5.1 leaves to servers. */
const SESSION_CODES: readonly number[] = [-32_000, -32_001, -32_600];

/** Whether a body is about a session that the server does not know. */
export const isAboutSession = (body: string): boolean => UNKNOWN_SESSION.test(wordsIn(body));

/**
 * Whether a server no longer knows the session (Streamable HTTP, "Session Management": 404). Many servers answer another status, or an
 * error of JSON-RPC.
 */
export function isSessionLost(error: unknown): boolean {
  if (error instanceof ProtocolError)
    return SESSION_CODES.includes(error.code) && UNKNOWN_SESSION.test(error.message);
  if (!(error instanceof SdkHttpError)) return false;
  const { status } = error;
  if (status === 400) return ABOUT_SESSION.test(wordsIn(bodyIn(error)));
  return status === 404 || ((status === 401 || status === 403) && isAboutSession(bodyIn(error)));
}
