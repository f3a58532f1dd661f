import { FAULT } from '@svc/contracts/guarded';
import type { Log } from '../platform/system.ts';

/**
 * Logs and counts the errors that no code caught. After one of a guarded callback the process goes on; after any other its state is
 * unknown, so it ends with the exit code 1, for its supervisor to start another.
 */
export function watchUncaught(log: Log) {
  let count = 0;
  let end = (): void => process.exit(1);
  process.on('warning', (warning: Error & { detail?: string }) => {
    if (warning.name !== FAULT) return;
    count += 1;
    log.error(
      { err: { type: FAULT, message: warning.message, stack: warning.detail } },
      'A callback failed.',
    );
  });
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (err: unknown) => {
      count += 1;
      log.error({ err, event }, 'An error was not caught.');
      end();
    });
  }
  return {
    /** How many there were. */
    uncaught: () => count,
    /** Sets what ends the process after an error that Node reports as uncaught. Default: it exits immediately. */
    endWith(ending: () => void) {
      end = ending;
    },
  };
}
