import { setTimeout as sleep } from 'node:timers/promises';
import type { Readiness } from './operations/readiness.ts';
import type { Log } from './platform/system.ts';
import type { Listening } from './serve.ts';

/** How long balancers are given to hear from `/readyz` that this process stops, in milliseconds. */
const NOTICE_MS = 5_000;

/** When a process that still has not stopped is ended, in milliseconds: a client may be slow for ever. */
const DEADLINE_MS = 30_000;

/** One Ctrl-C reaches a process up to three times, in milliseconds: from the terminal, from npm and from what npm runs. */
const ECHO_MS = 300;

/** What has to stop, in this order. */
export type Stoppable = {
  server: Pick<Listening, 'endConnections' | 'close'>;
  store: { readiness: Pick<Readiness, 'end'>; close(): Promise<void> };
  inspector: { close(): Promise<void> };
};

/**
 * Stops a store without dropping anybody. As soon as it begins `/readyz` says no. Where a balancer asks that, all goes on
 * for a moment, so that it can send new requests elsewhere; then new connections are refused, idle ones end, and the
 * requests under way are finished.
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
 * Stops the store at SIGTERM and SIGINT. What takes too long, and a second signal, end the process at once, with exit
 * code 1; nothing that was acknowledged is lost by that.
 */
export function stopOnSignals(parts: Stoppable, log: Log): void {
  let since: number | undefined;
  const exit = (fields: object, message: string) => {
    log.error(fields, message);
    process.exit(1);
  };
  const onSignal = (signal: string) => {
    if (since !== undefined) {
      if (performance.now() - since > ECHO_MS) exit({ signal }, 'Stopped at once, as asked again.');
      return;
    }
    since = performance.now();
    log.info({ signal }, 'Stopping: requests under way are finished first.');
    setTimeout(() => exit({}, 'Stopped with requests under way: they took too long.'), DEADLINE_MS).unref();
    stop(parts).catch((error: unknown) => exit({ err: error }, 'Stopping failed.'));
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
