import { ReadableStream as NodeStream } from 'node:stream/web';
import { ProtocolError, SdkHttpError } from '@modelcontextprotocol/client';
import { guarded } from '@svc/contracts/guarded';
import { RuntimeError } from '../platform/runtime-error.ts';
import { causesOf } from './fault.ts';
import { RetryLaterError } from './lenient/lenient-fetch.ts';

/** The era of MCP that a server supports: `modern` since 2026-07-28 (`server/discover`), `legacy` before (`initialize`). */
export type Era = 'modern' | 'legacy';

/** Maximum number of cached servers. */
const MAX_SERVERS = 500;
/** How long an entry is valid, in milliseconds: an upgraded server is noticed within a day. */
const DAY_MS = 24 * 60 * 60_000;

/** Creates the cache, in memory. */
export function createKnownEras(system: { now(): number }) {
  const known = new Map<string, { era: Era; at: number }>();
  return {
    /** The era of a server; null when it is unknown or expired. */
    of(url: string) {
      const entry = known.get(url);
      return entry && system.now() - entry.at < DAY_MS ? entry.era : null;
    },
    record(url: string, era: Era) {
      known.delete(url);
      known.set(url, { era, at: system.now() });
      const [oldest] = known.keys();
      if (known.size > MAX_SERVERS && oldest !== undefined) known.delete(oldest);
    },
  };
}

/** A cache of the eras of servers. */
export type KnownEras = ReturnType<typeof createKnownEras>;

/**
 * How long an unknown server has to reply to `server/discover` before `initialize` is tried, in milliseconds. A server that only
 * starts slowly is tried again afterwards.
 */
const FIRST_ANSWER_MS = 2_000;

/** Whether a response to the first message contains no reply and never will. */
const isEmpty = (response: Response): boolean =>
  response.status === 202 || response.status === 204 || response.status === 205 || !response.body;

/**
 * Watches the first message to a server. Many servers of earlier revisions do not reject an unknown message: they respond with 202,
 * close the stream, or do not respond.
 * @param giveUp aborts the attempt
 */
export function watchFirstAnswer(
  system: { sleep(ms: number, signal?: AbortSignal): Promise<void> },
  fetch: typeof globalThis.fetch,
  giveUp: () => void,
) {
  const waiting = new AbortController();
  let messages = 0;
  let silent = false;
  const over = () => {
    // A second message means that the first one got a reply.
    if (waiting.signal.aborted || messages > 1) return;
    silent = true;
    giveUp();
  };
  system.sleep(FIRST_ANSWER_MS, waiting.signal).then(over, () => undefined);

  /** The chunks of a stream. `over` runs after the reader has seen the last chunk. */
  async function* piecesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* body;
    } finally {
      setImmediate(guarded(over));
    }
  }

  return {
    /** Sends the messages, and detects a missing reply to the first one. */
    async fetch(...[input, init]: Parameters<typeof fetch>) {
      messages += 1;
      if (messages > 1) return fetch(input, init);
      const response = await fetch(input, init);
      const { body, status, headers } = response;
      if (isEmpty(response)) setImmediate(guarded(over));
      if (!body || !headers.get('content-type')?.includes('text/event-stream')) return response;
      return new Response(NodeStream.from(piecesOf(body)) as ReadableStream<Uint8Array>, { status, headers });
    },
    /** Stops waiting: the connection is open, or has failed. */
    settled: () => waiting.abort(),
    /** Whether the attempt was aborted because there was no reply. */
    wasSilent: () => silent,
  };
}

/** Waits for the reply to the first message, with a time limit. */
export type FirstAnswer = ReturnType<typeof watchFirstAnswer>;

/** Whether the runtime refused the request, or the server allows none now, so that another era cannot help. */
const isFinal = (error: unknown): boolean => {
  const causes = [...causesOf(error)];
  if (causes.some((cause) => cause instanceof RetryLaterError)) return true;
  const refusal = causes.find((cause) => cause instanceof RuntimeError);
  return refusal !== undefined && !['unreachable', 'server-failed', 'too-slow'].includes(refusal.code);
};

const statusOf = (error: unknown): number | null => (error instanceof SdkHttpError ? error.status : null);

/** Whether the error of `initialize` means that the server no longer supports it. */
const isUpgraded = (error: unknown): boolean =>
  error instanceof ProtocolError || [400, 404, 405, 410].includes(statusOf(error) ?? 0);

/** One attempt to connect; `limited` limits the wait for the first reply. */
export type Attempt<T> = (as: { era: 'auto' | 'legacy'; limited: boolean }) => Promise<{ made: T; era: Era }>;

/** The first message got no reply. */
export class NoFirstAnswerError extends Error {}

type Connect<T> = (as: Parameters<Attempt<T>>[0]) => Promise<T>;

/** Whether another era may be tried after an error. */
const mayFallBack = (error: unknown, signal: AbortSignal): boolean => !signal.aborted && !isFinal(error);

/** Connects to a server that is known as legacy. */
async function connectLegacy<T>(connect: Connect<T>, signal: AbortSignal): Promise<T> {
  try {
    return await connect({ era: 'legacy', limited: false });
  } catch (error) {
    if (!mayFallBack(error, signal) || !isUpgraded(error)) throw error;
    return connect({ era: 'auto', limited: false });
  }
}

/** Connects with `initialize` after `server/discover` failed. */
async function fallBackToLegacy<T>(connect: Connect<T>, cause: unknown, signal: AbortSignal): Promise<T> {
  try {
    return await connect({ era: 'legacy', limited: false });
  } catch (error) {
    const hadTime = !(cause instanceof NoFirstAnswerError);
    if (hadTime || !mayFallBack(error, signal) || !isUpgraded(error)) throw error;
    // The server was slow to reply and does not support `initialize`.
    return connect({ era: 'auto', limited: false });
  }
}

/**
 * Connects to a server of either era. An unknown server is tried with `server/discover`; on any failure `initialize` is tried
 * immediately. The era of the server is cached.
 * @throws the error of the last attempt
 */
export async function negotiateEra<T>(
  { url, known, signal }: { url: string; known: KnownEras; signal: AbortSignal },
  attempt: Attempt<T>,
): Promise<T> {
  const connect: Connect<T> = async (as) => {
    const { made, era } = await attempt(as);
    known.record(url, era);
    return made;
  };
  const era = known.of(url);
  if (era === 'legacy') return connectLegacy(connect, signal);
  try {
    return await connect({ era: 'auto', limited: era === null });
  } catch (error) {
    if (!mayFallBack(error, signal) || statusOf(error) === 401) throw error;
    return fallBackToLegacy(connect, error, signal);
  }
}
