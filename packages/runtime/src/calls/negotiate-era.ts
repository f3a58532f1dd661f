import { ReadableStream as NodeStream } from 'node:stream/web';
import {
  type Client,
  ProtocolError,
  SdkHttpError,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/client';
import { causesOf } from '@svc/contracts/causes';
import { guarded } from '@svc/contracts/guarded';
import { RuntimeError } from '../platform/runtime-error.ts';
import { bodyIn, isSessionLost } from './fault.ts';
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
const isEmpty = (response: Response): boolean => response.status === 202 || !response.body;

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
  const causes = causesOf(error);
  if (causes.some((cause) => cause instanceof RetryLaterError)) return true;
  const refusal = causes.find((cause) => cause instanceof RuntimeError);
  return refusal !== undefined && !['unreachable', 'server-failed', 'too-slow'].includes(refusal.code);
};

/** The HTTP status of an error of the MCP client; null for another error. */
export const statusOf = (error: unknown): number | null =>
  error instanceof SdkHttpError ? error.status : null;

/** Whether the error of `initialize` means that the server no longer supports it. */
const isUpgraded = (error: unknown): boolean =>
  error instanceof ProtocolError || [400, 404, 405, 410].includes(statusOf(error) ?? 0);

/** How to connect: with `server/discover` first, or `initialize` alone; `limited` limits the wait for the first reply. */
export type Attempt = {
  era: 'auto' | 'legacy';
  limited: boolean;
  /** The newest revision that `initialize` offers. Default: the newest that the MCP client has. */
  version?: string;
};

/** The first message got no reply. */
export class NoFirstAnswerError extends Error {}

type Connect<T> = (as: Attempt) => Promise<T>;

/** Whether another era may be tried after an error. */
const mayFallBack = (error: unknown, signal: AbortSignal): boolean => !signal.aborted && !isFinal(error);

/** The revisions that a server may know which refuses the newest one; empty for another error. */
function olderVersions(error: unknown): readonly string[] {
  const rpc = error instanceof ProtocolError && `${error.message} ${JSON.stringify(error.data)}`;
  const words = rpc || (error instanceof SdkHttpError ? bodyIn(error) : '');
  if (!/protocol[\s_-]?version/i.test(words)) return [];
  const [newest, ...older] = SUPPORTED_PROTOCOL_VERSIONS;
  const named = (words.match(/\d{4}-\d\d-\d\d/g) ?? []).filter((version) => version !== newest);
  return named.length === 0 ? older : older.filter((version) => named.includes(version));
}

/** Connects with `initialize`. A server should answer with a revision of its own; one that refuses the newest is asked for older ones. */
async function initialize<T>(connect: Connect<T>, signal: AbortSignal): Promise<T> {
  const attempt = { era: 'legacy', limited: false } as const;
  return connect(attempt).catch(async (error: unknown) => {
    let last = error;
    for (const version of mayFallBack(error, signal) ? olderVersions(error) : []) {
      try {
        return await connect({ ...attempt, version });
      } catch (refusal) {
        last = refusal;
        if (!mayFallBack(refusal, signal) || olderVersions(refusal).length === 0) break;
      }
    }
    throw last;
  });
}

/** Connects to a server that is known as legacy. */
async function connectLegacy<T>(connect: Connect<T>, signal: AbortSignal): Promise<T> {
  try {
    return await initialize(connect, signal);
  } catch (error) {
    if (!mayFallBack(error, signal) || !isUpgraded(error)) throw error;
    return connect({ era: 'auto', limited: false });
  }
}

/** Connects with `initialize` after `server/discover` failed. */
async function fallBackToLegacy<T>(connect: Connect<T>, cause: unknown, signal: AbortSignal): Promise<T> {
  try {
    return await initialize(connect, signal);
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
 * @param assumed the era of an unknown server
 * @throws the error of the last attempt
 */
export async function negotiateEra<T extends { mcp: Client }>(
  { url, known, signal }: { url: string; known: KnownEras; signal: AbortSignal },
  attempt: Connect<T>,
  assumed: Era | null = null,
): Promise<T> {
  const connect: Connect<T> = async (as) => {
    const made = await attempt(as);
    known.record(url, made.mcp.getProtocolEra() ?? 'legacy');
    return made;
  };
  const era = known.of(url) ?? assumed;
  if (era === 'legacy') return connectLegacy(connect, signal);
  try {
    return await connect({ era: 'auto', limited: era === null });
  } catch (error) {
    const needsSignIn = statusOf(error) === 401 && !isSessionLost(error);
    if (!mayFallBack(error, signal) || needsSignIn) throw error;
    return fallBackToLegacy(connect, error, signal);
  }
}
