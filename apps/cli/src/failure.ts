import type { ErrorEnvelope } from '@svc/contracts';
import { causesOf } from '@svc/contracts/causes';

/** Exit codes other than success: 1 failure, 2 usage error, 130 interrupted by Ctrl-C. */
export type FailureCode = 1 | 2 | typeof EXIT_INTERRUPTED;

/** The exit code that shells use for SIGINT (2): 128 plus the number of the signal. */
const EXIT_INTERRUPTED = 130;

/** A failure that the user can act on. The message may hold untrusted text; it is escaped where it is shown. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: FailureCode;

  constructor(message: string, exitCode: FailureCode, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** A command that failed: exit code 1. */
export const failed = (message: string, options?: ErrorOptions): CommandError =>
  new CommandError(message, 1, options);

/** A command that the user cancelled: exit code 130. */
export const cancelled = (message: string): CommandError => new CommandError(message, EXIT_INTERRUPTED);

/** The store could not be reached, or a server before it answered; a retry may succeed. */
export class NoAnswerError extends CommandError {
  /** When to try again at the earliest, in milliseconds from now. */
  readonly retryAfterMs: number;
  /** The HTTP status, where something answered. */
  readonly status: number | undefined;

  constructor(
    message: string,
    { retryAfterMs = 0, status, ...options }: ErrorOptions & { retryAfterMs?: number; status?: number } = {},
  ) {
    super(message, 1, options);
    this.retryAfterMs = retryAfterMs;
    this.status = status;
  }
}

/** A usage error: exit code 2. */
export const usageError = (message: string, options?: ErrorOptions): CommandError =>
  new CommandError(message, 2, options);

/** The store refused the request with an error envelope. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly envelope: ErrorEnvelope;

  constructor(envelope: ErrorEnvelope) {
    super(envelope.message);
    this.envelope = envelope;
  }
}

/** Whether a store has nothing at an address: a store of others says so without an error of the API. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof StoreError
    ? error.envelope.code === 'not_found'
    : error instanceof NoAnswerError && error.status === 404;

/** What a server before the store means by a status code, and what to do. The store itself answers errors as JSON. */
const BETWEEN: Readonly<Record<number, string>> = {
  403: 'It refuses the request: ask the operator of the store to let the API through its firewall or bot protection.',
  407: 'It is a proxy that needs a user name and a password: put them into HTTPS_PROXY.',
  413: 'The request is too large for it: the operator must raise its limit (nginx: client_max_body_size).',
  429: 'It limits the rate of requests: try again later.',
  502: 'It cannot reach the store: try again later.',
  503: 'It cannot reach the store: try again later.',
  504: 'The store did not answer it in time: try again later.',
  511: 'The network needs a sign-in: open a page in your browser first.',
};

/** The pause that a server asks for in seconds (RFC 9110 section 10.2.3), in milliseconds; 0 without one, and for a date. */
const pauseOf = ({ headers }: Response): number => (Number(headers.get('Retry-After')) || 0) * 1_000;

const UNTRUSTED =
  'its certificate is not from a known authority. If your organisation has its own, set SVC_CA_FILE to the file with its certificate.';

/** System errors in words. TLS errors are shown with their own message. */
const NETWORK_FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused. Start the store, or name another one with --store URL or SVC_STORE.',
  ENOTFOUND: 'host not found.',
  EAI_AGAIN: 'the DNS lookup failed temporarily.',
  ECONNRESET: 'the connection was closed.',
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not use TLS: without TLS, its URL begins with http://.',
  EPIPE: 'the connection was closed.',
  UND_ERR_SOCKET: 'the connection was closed.',
};

/** An error of a connection, as Node and undici describe it. */
type NetworkError = {
  message?: string;
  code?: string | number;
  hostname?: string;
  address?: string;
  port?: number;
};

const portOf = ({ port, protocol }: URL): number => Number(port) || (protocol === 'https:' ? 443 : 80);

/** What undici says of a proxy that makes no tunnel, or wants a user name and a password. */
const REFUSED_BY_PROXY = /^Proxy response \((\d{3})\)|^Proxy Authentication Required \((407)\)/;

/** Describes a failure of the proxy of a request; null for any other. */
function proxyFault(causes: readonly NetworkError[], store: URL): string | null {
  for (const { message = '', code, hostname, address, port } of causes) {
    const [, tunnel, plain] = REFUSED_BY_PROXY.exec(message) ?? [];
    const status = tunnel ?? plain;
    if (status === '407') return 'the proxy needs a user name and a password: put them into HTTPS_PROXY.';
    if (status) return `the proxy answers HTTP ${status}: its operator must allow this host.`;
    // The store has this name or port; only a proxy has another.
    const isOther =
      hostname === undefined ? port !== undefined && port !== portOf(store) : hostname !== store.hostname;
    if (isOther) return `the proxy at ${hostname ?? `${address}:${port}`} cannot be reached (${code}).`;
  }
  return null;
}

/** Describes why a request failed without a response. */
function networkFault(error: unknown, store: URL): string {
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'the request timed out.';
  const causes: NetworkError[] = causesOf(error);
  const { code, message } = causes[1] ?? causes[0] ?? {};
  // Redirects are not followed: the token must not be sent to another address.
  if (message === 'unexpected redirect')
    return 'it responds with a redirect. Use the URL that it redirects to.';
  const known = proxyFault(causes, store) ?? NETWORK_FAULTS[code ?? ''];
  return known ?? `${message || 'the request failed'}${code ? ` (${code})` : ''}.`;
}

/** The store could not be reached. A failure that the user can act on stays as it is. */
export const unreachable = (baseUrl: string, error: unknown): Error =>
  error instanceof CommandError
    ? error
    : new NoAnswerError(`Cannot reach the store at ${baseUrl}: ${networkFault(error, new URL(baseUrl))}`, {
        cause: error,
      });

/** What a server before the store answered, where its status says what to do; else null. */
export function answeredBefore(baseUrl: string, response: Response): Error | null {
  const meaning = BETWEEN[response.status];
  if (meaning === undefined) return null;
  const name = response.headers.get('Server');
  const message = `A server before the store at ${baseUrl} answered HTTP ${response.status}${name ? ` (${name.slice(0, 60)})` : ''}. ${meaning}`;
  return new NoAnswerError(message, { retryAfterMs: pauseOf(response) });
}
