import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { guarded } from '@svc/contracts/guarded';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { PageEvent } from './wire.ts';

/** Maximum number of pages at the same time. */
const MAX_STREAMS = 32;

/** Maximum bytes buffered for a page that does not read. Beyond that its stream ends, and the page reconnects. */
const MAX_WAITING = 8 * 1024 * 1024;

/** Interval of the keep-alive of an idle stream, in milliseconds. */
const PULSE_MS = 20_000;

/** The event streams of pages (HTML, section 9.2). */
export type PageStreams = {
  /** Sends an event to all pages, or to that of a session. */
  emit(event: PageEvent, session?: string): void;
  has(session: string): boolean;
  /** Serves a stream until its page disconnects. @throws RuntimeError `too-many` */
  serve(response: ServerResponse, session: string, first: readonly PageEvent[]): Promise<void>;
  close(): void;
};

/** Creates the streams of pages. */
export function createPageStreams(): PageStreams {
  const streams = new Map<string, ServerResponse>();
  const send = (response: ServerResponse, text: string): void => {
    if (response.writableLength > MAX_WAITING) response.destroy();
    else if (!response.writableEnded) response.write(text);
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
      const keepAlive = () => send(response, ':\n\n');
      const pulse = setInterval(guarded(keepAlive), PULSE_MS).unref();
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
