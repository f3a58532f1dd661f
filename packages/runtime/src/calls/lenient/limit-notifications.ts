import { createTokenBucket } from '../../panels/bridge/token-bucket.ts';
import { RuntimeError } from '../../platform/runtime-error.ts';
import type { System } from '../../platform/system.ts';
import { fieldIn } from './whole-events.ts';

/** Rate limit of the notifications of one response, and of the program of a connector. Of those above it, the newest progress is passed on when the server is silent. */
const NOTIFICATIONS = { burst: 50, perSecond: 20 };
/** Longest notification that can be dropped, in bytes. Longer messages pass. */
const MAX_NOTIFICATION = 16 * 1024;
/** Most messages of one response, and of the program of a connector during a call. */
const MAX_EVENTS = 20_000;
const MAX_LINES = 100_000;

/** How long the newest progress waits while the server is silent, in milliseconds. */
export const HELD_MS = 1_000 / NOTIFICATIONS.perSecond;

/** The method of a notification; null for any other message. */
function methodIn(text: string): string | null {
  if (text.length > MAX_NOTIFICATION || !text.includes('"notifications/')) return null;
  try {
    const message: unknown = JSON.parse(text);
    if (typeof message !== 'object' || message === null || 'id' in message || !('method' in message))
      return null;
    return String(message.method);
  } catch {
    return null;
  }
}

/** Decides which messages pass. @param most messages; more are an error */
function createLimit(now: () => number, most: number) {
  const bucket = createTokenBucket(NOTIFICATIONS, now);
  let held: string | null = null;
  let messages = 0;
  return {
    isHolding: () => held !== null,
    /** The newest progress that waits, if the rate allows it. */
    release(): string | null {
      if (held === null || !bucket.take()) return null;
      const message = held;
      held = null;
      return message;
    },
    /** Counts the messages from the beginning. */
    restart(): void {
      messages = 0;
    },
    /** @param text of the message @throws RuntimeError `too-large` */
    passes(text: string): boolean {
      const method = methodIn(text);
      if (method !== null && !bucket.take()) {
        if (method === 'notifications/progress') held = text;
        return false;
      }
      messages += 1;
      if (messages > most) throw new RuntimeError('too-large', 'The server sent too many messages.');
      return true;
    },
  };
}

/** Drops lines with notifications above the rate limit from what a program writes (MCP, "stdio"). Bytes are read as Latin-1, which keeps them. */
export function createLineFilter(now: () => number) {
  const limit = createLimit(now, MAX_LINES);
  let rest = '';
  let isLong = false;
  return {
    isHolding: limit.isHolding,
    restart: limit.restart,
    release(): string {
      const held = rest === '' && !isLong ? limit.release() : null;
      return held === null ? '' : `${held}\n`;
    },
    /** @throws RuntimeError `too-large` */
    read(chunk: string): string {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      const kept = lines.filter((line, index) => (isLong && index === 0) || limit.passes(line));
      if (lines.length > 0) isLong = false;
      let out = kept.map((line) => `${line}\n`).join('');
      // The rest of a long line is passed on as it arrives.
      if (isLong || rest.length > MAX_NOTIFICATION) {
        out += rest;
        rest = '';
        isLong = true;
      }
      return out;
    },
  };
}

/** What is passed on of an event: all, its id alone, or nothing. @throws RuntimeError `too-large` */
function passedOn(event: Buffer, limit: ReturnType<typeof createLimit>): Buffer | null {
  const isSmall = event.byteLength <= MAX_NOTIFICATION && event.includes('"notifications/');
  // Comments and ids alone are no messages.
  if (!isSmall && !event.includes('data')) return event;
  const text = isSmall ? event.toString() : '';
  if (limit.passes(fieldIn(text, 'data') ?? '')) return event;
  const id = fieldIn(text, 'id');
  return id === null ? null : Buffer.from(`id: ${id}\n\n`);
}

/**
 * Drops events with notifications above the rate limit, before the MCP client reads them: a server can send them faster than they can be
 * validated. The ids of dropped events stay.
 */
export async function* limitEvents(
  events: AsyncGenerator<Buffer>,
  { now, sleep }: Pick<System, 'now' | 'sleep'>,
): AsyncGenerator<Buffer> {
  const limit = createLimit(now, MAX_EVENTS);
  let reading: ReturnType<typeof events.next> | null = null;
  try {
    for (;;) {
      reading ??= events.next();
      const waits = limit.isHolding() ? [sleep(HELD_MS).then(() => null)] : [];
      const read = await Promise.race([reading, ...waits]);
      if (read?.done) return;
      if (read !== null) reading = null;
      const held = read === null ? limit.release() : null;
      const passed = read === null ? held && Buffer.from(`data: ${held}\n\n`) : passedOn(read.value, limit);
      if (passed) yield passed;
    }
  } finally {
    await events.return(undefined);
  }
}
