import { createTokenBucket } from '../panels/bridge/token-bucket.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';

/** Rate limit of the notifications of one response, and of the program of a connector. Of those above it, the newest progress is passed on when the server is silent. */
const NOTIFICATIONS = { burst: 50, perSecond: 20 };
/** Longest notification that can be dropped, in bytes. Longer lines pass. */
const MAX_NOTIFICATION = 16 * 1024;

/** How messages are written in a stream: what begins and ends their lines, and how many may pass. */
type StreamFormat = { start: string; lineEnd: RegExp; end: string; most: number };

/** Events of one response (HTML, "Server-sent events"). A carriage return at the end of a chunk may be half of the end of a line. */
const EVENTS: StreamFormat = { start: 'data:', lineEnd: /\r\n|\n|\r(?!$)/, end: '\n\n', most: 20_000 };

/** Lines of a program (MCP, "stdio"). */
export const PROGRAM_LINES: StreamFormat = { start: '', lineEnd: /\n/, end: '\n', most: 100_000 };

/** The method of the notification in a line; null for any other line. */
function methodIn(line: string, { start }: StreamFormat): string | null {
  if (line.length > MAX_NOTIFICATION || !line.startsWith(start) || !line.includes('"notifications/'))
    return null;
  try {
    const message: unknown = JSON.parse(line.slice(start.length));
    if (typeof message !== 'object' || message === null || 'id' in message || !('method' in message))
      return null;
    return String(message.method);
  } catch {
    return null;
  }
}

/**
 * Drops lines with notifications above the rate limit from a stream: an event without data is ignored, and keeps its id. Bytes are
 * read as Latin-1, which keeps them.
 */
export function createNotificationFilter(now: () => number, format: StreamFormat) {
  const bucket = createTokenBucket(NOTIFICATIONS, now);
  let rest = '';
  let isLong = false;
  let held: string | null = null;
  let messages = 0;

  function passes(line: string): boolean {
    const method = methodIn(line, format);
    if (method === null || bucket.take()) return true;
    if (method === 'notifications/progress') held = line;
    return false;
  }
  /** The newest progress that waits, as a message, if the rate allows it. */
  function release(): string {
    if (held === null || !bucket.take()) return '';
    const message = `${held}${format.end}`;
    held = null;
    return message;
  }
  return {
    isHolding: () => held !== null,
    release: (): string => (rest === '' && !isLong ? release() : ''),
    /** Counts the messages from the beginning. */
    restart(): void {
      messages = 0;
    },
    /** @throws RuntimeError `too-large` */
    read(chunk: string): string {
      const lines = (rest + chunk).split(format.lineEnd);
      rest = lines.pop() ?? '';
      const kept = lines.filter((line, index) => (isLong && index === 0) || passes(line));
      if (lines.length > 0) isLong = false;
      messages += kept.filter((line) => line.startsWith(format.start)).length;
      if (messages > format.most) throw new RuntimeError('too-large', 'The server sent too many messages.');
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
export const HELD_MS = 1_000 / NOTIFICATIONS.perSecond;

function limitedBody(body: ReadableStream<Uint8Array>, system: Pick<System, 'now' | 'sleep'>) {
  const reader = body.getReader();
  const filter = createNotificationFilter(system.now, EVENTS);
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
