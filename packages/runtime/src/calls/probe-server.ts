import { type Challenge, readChallenge } from '../accounts/discovery/challenge.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import { withinTime } from '../platform/within-time.ts';
import { type ConnectionOptions, connectToServer } from './connection.ts';
import { faultOf } from './fault.ts';
import { createKnownEras, type Era } from './negotiate-era.ts';
import { createSecrets } from './secrets.ts';

/** The responses of a server to requests without a token. */
export type Probe = {
  /** The generation of MCP that it answered; null where it answered none without a token. */
  era: Era | null;
  /** Whether it requires a token. */
  isClosed: boolean;
  /** Whether it lists its tools without one. */
  isListed: boolean;
  /** The challenge of the response that requires it. */
  challenge: Challenge | null;
  /** Why there is no connection without a token, where it is not for the token; null otherwise. */
  fault: RuntimeError | null;
};

/** How a server is asked: its address, and a fetch that sends no token. */
export type ProbeOptions = Pick<ConnectionOptions, 'url' | 'fetch' | 'system' | 'signal'> & {
  /** Whether a tool is called that no server has: some challenge only calls. Default: true. */
  withCall?: boolean;
};

/** Time limit for all requests, in milliseconds: a server may negotiate for ever. */
const LIMIT_MS = 30_000;

/** Whether a response requires a token. Some gateways answer 403 with a challenge. */
const asksForToken = (status: number, challenge: Challenge | null): boolean =>
  status === 401 || (status === 403 && challenge !== null);

/**
 * Connects to a server without a token, as a session does, lists its tools, and calls one. It stops at the first response that requires a
 * token.
 * @throws the signal's reason
 */
export async function probeServer({
  fetch,
  system,
  signal,
  url,
  withCall = true,
}: ProbeOptions): Promise<Probe> {
  const known = createKnownEras(system);
  const end = new AbortController();
  let isListed = false;
  let closed: { challenge: Challenge | null } | null = null;
  const watched: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const challenge = readChallenge(response.headers.get('www-authenticate'));
    if (!asksForToken(response.status, challenge)) return response;
    closed ??= { challenge };
    end.abort();
    return response;
  };
  const ask = async (timed: AbortSignal): Promise<void> => {
    const during = AbortSignal.any([timed, end.signal]);
    const client = { name: 'svc', version: '1' };
    const options = { system, client, known, url, fetch: watched, signal: during, older: true };
    const connection = await connectToServer(options);
    try {
      await connection.listTools(during).catch(() => undefined);
      isListed = closed === null;
      if (withCall) await connection.callTool('svc_sign_in', {}, { signal: during }).catch(() => undefined);
    } finally {
      await connection.close();
    }
  };
  const found = (fault: RuntimeError | null): Probe => ({
    ...{ era: known.of(url), isClosed: closed !== null, isListed },
    ...{ challenge: closed?.challenge ?? null, fault },
  });
  try {
    await withinTime(system, LIMIT_MS, signal, ask);
    return found(null);
  } catch (error) {
    signal.throwIfAborted();
    if (closed !== null) return found(null);
    const fault = faultOf(error, signal, createSecrets());
    if (fault instanceof RuntimeError) return found(fault);
    throw fault;
  }
}
