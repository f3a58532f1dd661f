import { setTimeout as sleep } from 'node:timers/promises';
import type { Readiness } from '../features/operations/readiness.ts';
import type { Log } from '../platform/system.ts';
import type { Listening } from './serve.ts';

/** How long load balancers have to learn from `/readyz` that this process stops, in milliseconds. */
const NOTICE_MS = 5_000;

/** After this many milliseconds a process that has not stopped is ended: a slow client could delay it for ever. */
const DEADLINE_MS = 30_000;

/** One Ctrl-C reaches a process up to three times, in milliseconds: from the terminal, from npm and from what npm runs. */
const ECHO_MS = 300;

/** The parts to stop, in this order. */
export type Stoppable = {
  server: Pick<Listening, 'endConnections' | 'close'>;
  store: { readiness: Pick<Readiness, 'end'>; close(): Promise<void> };
  inspector: { close(): Promise<void> };
};

/**
 * Stops a store without dropping a request. `/readyz` fails from the beginning. If a load balancer polls it, the store keeps serving
 * for a moment, so that new requests go elsewhere; then it refuses new connections, ends idle ones, and finishes the open requests.
 */
export async function stop({ server, store, inspector }: Stoppable): Promise<void> {
  const balanced = store.readiness.end();
  server.endConnections();
  if (balanced) await sleep(NOTICE_MS);
  await server.close();
  await store.close();
  await inspector.close();
}

/**
 * Stops the store at SIGTERM and SIGINT. A second signal, or reaching the deadline, ends the process immediately with exit code 1;
 * nothing that was acknowledged is lost.
 */
export function stopOnSignals(parts: Stoppable, log: Log): void {
  let since: number | undefined;
  const exit = (fields: object, message: string) => {
    log.error(fields, message);
    process.exit(1);
  };
  const onSignal = (signal: string) => {
    if (since !== undefined) {
      if (performance.now() - since > ECHO_MS) exit({ signal }, 'Stopped immediately after a second signal.');
      return;
    }
    since = performance.now();
    log.info({ signal }, 'Stopping after the open requests.');
    setTimeout(
      () => exit({}, 'Stopped before all requests finished: they took too long.'),
      DEADLINE_MS,
    ).unref();
    stop(parts).catch((error: unknown) => exit({ err: error }, 'Stopping failed.'));
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
