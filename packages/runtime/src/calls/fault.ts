import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { cleanLine } from '@svc/text';
import { refusalOf } from '../network/guarded-fetch.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
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

/**
 * Converts an error of the MCP client to a RuntimeError. It has no `cause`: errors of the MCP client contain data of the server,
 * which may include a token.
 * @param signal if aborted, its reason is returned
 */
export function faultOf(error: unknown, signal: AbortSignal, secrets: Secrets): unknown {
  if (signal.aborted) return signal.reason;
  for (const cause of causesOf(error)) {
    if (cause instanceof RuntimeError) return cause;
  }
  if (isOfNetwork(error)) return refusalOf(error, signal);
  if (error instanceof ProtocolError) {
    const message = `The app’s server says: ${quoted(error.message, secrets)}`;
    return new RuntimeError('server-failed', message, { detail: { rpc: error.code } });
  }
  if (error instanceof SdkHttpError) {
    return new RuntimeError('server-failed', `The app’s server answers ${error.status}.`, {
      detail: { status: error.status },
    });
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return new RuntimeError('too-slow');
  return new RuntimeError('server-failed');
}

/** Whether a server no longer knows the session (Streamable HTTP, "Session Management": 404). */
export const isSessionLost = (error: unknown): boolean =>
  error instanceof SdkHttpError && error.status === 404;
