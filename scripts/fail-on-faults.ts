import { FAULT } from '@svc/contracts/guarded';

const PLACED = Symbol.for('svc.fail-on-faults');

/**
 * Throws for a fault that a guarded callback reported, which ends no process: uncaught, so that Vitest fails the run, as it does after
 * other uncaught errors and unhandled rejections.
 */
export function failOnFault({ name, message, detail }: Error & { detail?: string }): void {
  if (name === FAULT) throw new Error(`A callback failed during the tests: ${detail ?? message}`);
}

// Once for each worker, which runs many files.
if (!Reflect.has(globalThis, PLACED)) {
  Reflect.set(globalThis, PLACED, true);
  process.on('warning', failOnFault);
}
