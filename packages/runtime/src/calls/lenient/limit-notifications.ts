import { RuntimeError } from '../../platform/runtime-error.ts';
import type { System } from '../../platform/system.ts';
import { createTokenBucket } from '../../platform/token-bucket.ts';

// The event streams of servers (HTML standard, "Server-sent events"), which are read by event, and passed on as bytes where nothing is to change.

/** The end of the first event in a buffer ("Interpreting an event stream"); -1 when it has none. */
function endOfEvent(bytes: Buffer): number {
  const feeds = bytes.indexOf('\n\n');
  // Only what may end earlier is looked for in the rest: a chunk has thousands of events.
  const head = feeds === -1 ? bytes : bytes.subarray(0, feeds + 2);
  const ends = ['\r\n\r\n', '\r\r'].flatMap((mark) => {
    const at = head.indexOf(mark);
    return at === -1 ? [] : [at + mark.length];
  });
  if (feeds !== -1) ends.push(feeds + 2);
  return ends.length === 0 ? -1 : Math.min(...ends);
}

/** The value of a field of an event, its lines joined; null without one. */
export const fieldIn = (event: string, name: string): string | null => {
  const lines = event.split(/\r\n|\n|\r/).filter((line) => line.startsWith(`${name}:`));
  if (lines.length === 0) return null;
  return lines.map((line) => line.slice(name.length + 1).replace(/^ /, '')).join('\n');
};

/** The chunks of a body, as whole events; the last may be incomplete. */
export async function* wholeEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    // The end of an event may be split between chunks, each of a few bytes.
    const last = Buffer.concat(parts.slice(-3).map((part) => part.subarray(-3))).subarray(-3);
    if (endOfEvent(Buffer.concat([last, rest.subarray(0, 3)])) !== -1) {
      rest = Buffer.concat([...parts, rest]);
      parts = [];
    }
    for (let end = endOfEvent(rest); end !== -1; end = endOfEvent(rest)) {
      yield Buffer.concat([...parts, rest.subarray(0, end)]);
      parts = [];
      rest = rest.subarray(end);
    }
    if (rest.length > 0) parts.push(rest);
  }
  // Some servers omit the empty line after the last event.
  if (parts.length > 0) yield Buffer.concat([...parts, Buffer.from('\n\n')]);
}

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
    const { id, method } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    return id === undefined && typeof method === 'string' ? method : null;
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
      if (!bucket.take()) return null;
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

/** A byte order mark in UTF-8, read as Latin-1. .NET writes it before the first line, or before each. */
const MARK = '\u00ef\u00bb\u00bf';

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
      const isWithin = (index: number) => isLong && index === 0;
      const lines = (rest + chunk)
        .split('\n')
        .map((line, index) => (line.startsWith(MARK) && !isWithin(index) ? line.slice(MARK.length) : line));
      rest = lines.pop() ?? '';
      const kept = lines.filter((line, index) => isWithin(index) || limit.passes(line));
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
  // Comments and ids alone are no messages.
  if (!event.includes('data')) return event;
  const text = event.byteLength <= MAX_NOTIFICATION ? event.toString() : '';
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
