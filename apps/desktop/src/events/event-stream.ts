import { once } from 'node:events';
import type { System } from '@svc/runtime';
import type { Exchange } from '../http/exchange.ts';
import type { Session } from '../sessions/sessions.ts';
import type { PageEvents } from './page-events.ts';

/** How often an idle stream says that it is still there, in milliseconds. */
const PULSE_MS = 20_000;

/** What may wait for a page that does not read, in bytes. It asks for all again once it is back. */
const MAX_WAITING = 8 * 1024 * 1024;

/** Sends a page what happens, as an event stream (HTML standard), until it goes away or its session ends. */
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
  // A comment, so that the page knows from when on it misses nothing.
  send(': open\n\n');
  const stop = events.listen(session.id, (event) => send(`data: ${JSON.stringify(event)}\n\n`));
  const over = AbortSignal.any([signal, session.ended]);
  const beat = async () => {
    for (;;) {
      await system.sleep(PULSE_MS, over);
      send(':\n\n');
    }
  };
  void beat().catch(() => undefined);
  try {
    if (!over.aborted) await once(over, 'abort');
  } finally {
    stop();
    response.end();
  }
}
