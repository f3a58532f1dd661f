import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { PageEvent } from './wire.ts';

/** Pages at the same time. */
const MAX_STREAMS = 32;

/** What may wait for a page that does not read, in bytes: then its stream ends, and it begins again. */
const MAX_WAITING = 8 * 1024 * 1024;

/** How often an idle stream says that it is still there, in milliseconds. */
const PULSE_MS = 20_000;

/** The event streams of pages (HTML, section 9.2). */
export type PageStreams = {
  /** Tells all pages, or the one of a session. */
  emit(event: PageEvent, session?: string): void;
  has(session: string): boolean;
  /** Serves a stream until its page is gone. @throws RuntimeError `too-many` */
  serve(response: ServerResponse, session: string, first: readonly PageEvent[]): Promise<void>;
  close(): void;
};

/** Keeps the streams of pages. */
export function createPageStreams(): PageStreams {
  const streams = new Map<string, ServerResponse>();
  const send = (response: ServerResponse, text: string): void => {
    if (response.writableLength > MAX_WAITING) response.destroy();
    else response.write(text);
  };
  const line = (event: PageEvent): string => `data: ${JSON.stringify(event)}\n\n`;
  return {
    emit(event, session) {
      for (const [id, response] of streams)
        if (session === undefined || session === id) send(response, line(event));
    },
    has: (session) => streams.has(session),
    async serve(response, session, first) {
      if (streams.size >= MAX_STREAMS) throw new RuntimeError('too-many', 'Too many pages are open.');
      response.writeHead(200, {
        'Content-Type': 'text/event-stream',
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
      });
      streams.set(session, response);
      for (const event of first) send(response, line(event));
      const pulse = setInterval(() => send(response, ':\n\n'), PULSE_MS).unref();
      const gone = once(response, 'close');
      if (!response.destroyed) await gone;
      clearInterval(pulse);
      streams.delete(session);
    },
    close() {
      for (const response of streams.values()) response.end();
    },
  };
}
