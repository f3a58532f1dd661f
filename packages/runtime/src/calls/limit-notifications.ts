import { createTokenBucket } from '../panels/bridge/token-bucket.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';

/** Rate limit of the notifications of one response. Of those above it, the newest progress is passed on when the server is silent. */
const NOTIFICATIONS = { burst: 50, perSecond: 20 };
/** Longest notification that can be dropped, in bytes. Longer lines pass. */
const MAX_NOTIFICATION = 16 * 1024;
/** Most events of one response that pass. */
const MAX_EVENTS = 20_000;

/** The end of a line. A carriage return at the end of a chunk may be half of one. */
const LINE_END = /\r\n|\n|\r(?!$)/;

/** The method of the notification in a line of an event stream; null for any other line. */
function methodIn(line: string): string | null {
  if (line.length > MAX_NOTIFICATION || !line.startsWith('data:') || !line.includes('"notifications/'))
    return null;
  try {
    const message: unknown = JSON.parse(line.slice('data:'.length));
    if (typeof message !== 'object' || message === null || 'id' in message || !('method' in message))
      return null;
    return String(message.method);
  } catch {
    return null;
  }
}

/**
 * Drops lines with notifications above the rate limit from an event stream (HTML, "Server-sent events"): an event without data is
 * ignored, and keeps its id. Bytes are read as Latin-1, which keeps them.
 */
function createFilter(now: () => number) {
  const bucket = createTokenBucket(NOTIFICATIONS, now);
  let rest = '';
  let isLong = false;
  let held: string | null = null;
  let events = 0;

  function passes(line: string): boolean {
    const method = methodIn(line);
    if (method === null || bucket.take()) return true;
    if (method === 'notifications/progress') held = line;
    return false;
  }
  /** The newest progress that waits, as an event, if the rate allows it. */
  function release(): string {
    if (held === null || !bucket.take()) return '';
    const event = `${held}\n\n`;
    held = null;
    return event;
  }
  return {
    isHolding: () => held !== null,
    release: (): string => (rest === '' && !isLong ? release() : ''),
    read(chunk: string): string {
      const lines = (rest + chunk).split(LINE_END);
      rest = lines.pop() ?? '';
      const kept = lines.filter((line, index) => (isLong && index === 0) || passes(line));
      if (lines.length > 0) isLong = false;
      events += kept.filter((line) => line.startsWith('data:')).length;
      if (events > MAX_EVENTS) throw new RuntimeError('too-large', 'The server sent too many messages.');
      let out = kept.map((line) => `${line}\n`).join('');
      // The rest of a long line is passed on as it arrives.
      if (isLong || rest.length > MAX_NOTIFICATION) {
        out += rest;
        rest = '';
        isLong = true;
      }
      return out;
    },
    end: (): string => rest,
  };
}

/** How long the newest progress waits while the server is silent, in milliseconds. */
const HELD_MS = 1_000 / NOTIFICATIONS.perSecond;

function limitedBody(body: ReadableStream<Uint8Array>, system: Pick<System, 'now' | 'sleep'>) {
  const reader = body.getReader();
  const filter = createFilter(system.now);
  let reading: ReturnType<typeof reader.read> | null = null;
  const next = async (): Promise<string | null> => {
    reading ??= reader.read();
    const waits = filter.isHolding() ? [system.sleep(HELD_MS).then(() => null)] : [];
    const read = await Promise.race([reading, ...waits]);
    if (read === null) return filter.release();
    reading = null;
    if (read.done) return null;
    const { buffer, byteOffset, byteLength } = read.value;
    return filter.read(Buffer.from(buffer, byteOffset, byteLength).toString('latin1'));
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (let text = await next(); ; text = await next()) {
        if (text === '') continue;
        controller.enqueue(Buffer.from(text ?? filter.end(), 'latin1'));
        if (text === null) controller.close();
        return;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/**
 * Creates a `fetch` that limits the notifications in event streams before the MCP client reads them: a server can send them faster than
 * they can be validated.
 */
export function limitNotifications(
  fetch: typeof globalThis.fetch,
  system: Pick<System, 'now' | 'sleep'>,
): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const { body, status, statusText, headers } = response;
    if (!body || !headers.get('content-type')?.startsWith('text/event-stream')) return response;
    return new Response(limitedBody(body, system), { status, statusText, headers });
  };
}
