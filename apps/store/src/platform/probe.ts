import { guarded } from '@svc/contracts/guarded';
import type { Log } from './system.ts';

/** How long a probe may take, in milliseconds: load balancers stop waiting soon after. */
const TIMEOUT_MS = 2_000;

/** Checks a required dependency; rejects when it is unavailable. */
export type Probe = () => Promise<unknown>;

/** The probes of the required dependencies, by name. */
export type Probes = Readonly<Record<string, Probe>>;

/** Awaits work for as long as a probe may take. @throws when it takes longer */
export const withinTimeout = <T>(work: Promise<T>): Promise<T> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    // Responses that have already arrived win: in a process that was blocked, the timer runs before them.
    const giveUp = () => setImmediate(reject, new Error(`No answer within ${TIMEOUT_MS} ms.`));
    timer = setTimeout(guarded(giveUp), TIMEOUT_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
};

/** Logs when a part of the store stops being ready, with the cause, and when it is ready again: probes run every few seconds. */
export const loggedProbes = (probes: Probes, log: Log): Probes =>
  Object.fromEntries(
    Object.entries(probes).map(([part, probe]) => {
      let isReady = true;
      const logged = async () => {
        try {
          await withinTimeout(probe());
        } catch (err) {
          if (isReady) log.error({ part, err }, `The ${part} is not ready.`);
          isReady = false;
          throw err;
        }
        if (!isReady) log.warn({ part }, `The ${part} is ready again.`);
        isReady = true;
      };
      return [part, logged];
    }),
  );

/** Runs all probes. The result does not include the cause of a failure, which is only for the log. */
export const runProbes = (probes: Probes): Promise<{ name: string; ok: boolean }[]> =>
  Promise.all(
    Object.entries(probes).map(async ([name, probe]) =>
      withinTimeout(probe()).then(
        () => ({ name, ok: true }),
        () => ({ name, ok: false }),
      ),
    ),
  );
