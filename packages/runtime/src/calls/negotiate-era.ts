import { ReadableStream as NodeStream } from 'node:stream/web';
import { ProtocolError, SdkHttpError } from '@modelcontextprotocol/client';
import { RuntimeError } from '../platform/runtime-error.ts';
import { causesOf } from './fault.ts';
import type { Era, KnownEras } from './known-eras.ts';

/**
 * How long a server that was never met has to answer `server/discover` before it is asked by `initialize`, in milliseconds. A
 * server that only needs longer to start is asked again after that.
 */
const FIRST_ANSWER_MS = 2_000;

/** Answers to the first message that hold no reply to it, also not later. */
const isEmpty = (response: Response): boolean =>
  response.status === 202 || response.status === 204 || response.status === 205 || !response.body;

/** What waits for the answer to the first message, and gives up on it. */
export type FirstAnswer = {
  /** Carries the messages, and notices when the first one is left without a reply. */
  fetch: typeof fetch;
  /** The connection is made, or has failed: nothing is waited for any more. */
  settled(): void;
  /** Whether it was given up because nothing came. */
  wasSilent(): boolean;
};

/**
 * Watches the first message to a server. Many servers of earlier revisions do not refuse a message that they do not know: they
 * accept it with 202, end the stream, or say nothing.
 * @param giveUp ends the attempt
 */
export function watchFirstAnswer(
  system: { sleep(ms: number, signal?: AbortSignal): Promise<void> },
  fetch: typeof globalThis.fetch,
  giveUp: () => void,
): FirstAnswer {
  const waiting = new AbortController();
  let messages = 0;
  let silent = false;
  const over = () => {
    // The next message follows from a reply to the first.
    if (waiting.signal.aborted || messages > 1) return;
    silent = true;
    giveUp();
  };
  system.sleep(FIRST_ANSWER_MS, waiting.signal).then(over, () => undefined);

  /** The pieces of a stream. When it ends or breaks, its reader first sees what was in it. */
  async function* piecesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* body;
    } finally {
      setImmediate(over);
    }
  }

  return {
    async fetch(input, init) {
      messages += 1;
      if (messages > 1) return fetch(input, init);
      const response = await fetch(input, init);
      const { body, status, headers } = response;
      if (isEmpty(response)) setImmediate(over);
      if (!body || !headers.get('content-type')?.includes('text/event-stream')) return response;
      return new Response(NodeStream.from(piecesOf(body)) as ReadableStream<Uint8Array>, { status, headers });
    },
    settled: () => waiting.abort(),
    wasSilent: () => silent,
  };
}

/** What the runtime decided, and not the server: asking in another way changes nothing about it. */
const isFinal = (error: unknown): boolean => {
  const refusal = [...causesOf(error)].find((cause) => cause instanceof RuntimeError);
  return refusal !== undefined && !['unreachable', 'server-failed', 'too-slow'].includes(refusal.code);
};

const statusOf = (error: unknown): number | null => (error instanceof SdkHttpError ? error.status : null);

/** Whether a server that was to be asked by `initialize` answers as one that no longer knows it. */
const isUpgraded = (error: unknown): boolean =>
  error instanceof ProtocolError || [400, 404, 405, 410].includes(statusOf(error) ?? 0);

/** One attempt to connect; `limited` gives the first message little time. */
export type Attempt<T> = (as: { era: 'auto' | 'legacy'; limited: boolean }) => Promise<{ made: T; era: Era }>;

/** That an attempt failed because the first message was left without a reply. */
export class NoFirstAnswerError extends Error {}

type Connect<T> = (as: Parameters<Attempt<T>>[0]) => Promise<T>;

/** Whether it makes sense to ask in another way. */
const mayFallBack = (error: unknown, signal: AbortSignal): boolean => !signal.aborted && !isFinal(error);

/** Connects to a server that spoke the earlier revision when it was last met. */
async function connectLegacy<T>(connect: Connect<T>, signal: AbortSignal): Promise<T> {
  try {
    return await connect({ era: 'legacy', limited: false });
  } catch (error) {
    if (!mayFallBack(error, signal) || !isUpgraded(error)) throw error;
    return connect({ era: 'auto', limited: false });
  }
}

/** Connects by `initialize` to a server that did not answer the first message. */
async function fallBackToLegacy<T>(connect: Connect<T>, cause: unknown, signal: AbortSignal): Promise<T> {
  try {
    return await connect({ era: 'legacy', limited: false });
  } catch (error) {
    const hadTime = !(cause instanceof NoFirstAnswerError);
    if (hadTime || !mayFallBack(error, signal) || !isUpgraded(error)) throw error;
    // It had too little time for its first answer, and does not know `initialize`.
    return connect({ era: 'auto', limited: false });
  }
}

/**
 * Connects to a server of either generation. One that was never met is asked by `server/discover`; whatever it makes of that
 * message, it is then asked by `initialize`, at once. What it turned out to be is remembered.
 * @throws what the last attempt throws
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
