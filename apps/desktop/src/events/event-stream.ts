import { once } from 'node:events';
import { inBackground } from '@svc/contracts/guarded';
import type { System } from '@svc/runtime';
import type { Exchange } from '../http/exchange.ts';
import type { Session } from '../sessions/sessions.ts';
import type { PageEvents } from './page-events.ts';

/** Interval of keep-alive comments, in milliseconds. */
const PULSE_MS = 20_000;

/** Most bytes buffered for a page that does not read. Beyond that the stream is closed, and the page reconnects. */
const MAX_WAITING = 8 * 1024 * 1024;

/** Streams events to a page (HTML standard, server-sent events) until it disconnects or its session ends. */
export async function streamEvents(
  { response, signal }: Exchange,
  session: Session,
  { events, system }: { events: PageEvents; system: Pick<System, 'sleep'> },
): Promise<void> {
  response.writeHead(200, {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  const send = (text: string) => {
    if (response.writableLength > MAX_WAITING) response.destroy();
    else response.write(text);
  };
  // A comment, so that the page knows that the stream is open.
  send(': open\n\n');
  const stop = events.subscribe(session.id, (event) => send(`data: ${JSON.stringify(event)}\n\n`));
  const closed = AbortSignal.any([signal, session.ended]);
  const keepAlive = async () => {
    for (;;) {
      await system.sleep(PULSE_MS, closed);
      send(':\n\n');
    }
  };
  // It ends by the abort of its timer.
  inBackground(keepAlive(), () => undefined);
  try {
    if (!closed.aborted) await once(closed, 'abort');
  } finally {
    stop();
    response.end();
  }
}
