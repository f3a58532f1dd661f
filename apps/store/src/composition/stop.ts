import { setTimeout as sleep } from 'node:timers/promises';
import { guarded } from '@svc/contracts/guarded';
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
 * @returns stops it in the same way after an error that no code caught, with exit code 1
 */
export function stopOnSignals(parts: Stoppable, log: Log): () => void {
  let since: number | undefined;
  const exit = (fields: object, message: string) => {
    log.error(fields, message);
    process.exit(1);
  };
  const begin = (onStopped: () => void) => {
    since = performance.now();
    const giveUp = () => exit({}, 'Stopped before all requests finished: they took too long.');
    setTimeout(guarded(giveUp), DEADLINE_MS).unref();
    stop(parts).then(onStopped, (error: unknown) => exit({ err: error }, 'Stopping failed.'));
  };
  const onSignal = (signal: string) => {
    if (since !== undefined) {
      if (performance.now() - since > ECHO_MS) exit({ signal }, 'Stopped immediately after a second signal.');
      return;
    }
    log.info({ signal }, 'Stopping after the open requests.');
    begin(() => {});
  };
  process.on('SIGTERM', guarded(onSignal));
  process.on('SIGINT', guarded(onSignal));
  return () => {
    process.exitCode = 1;
    if (since === undefined) begin(() => process.exit(1));
  };
}
