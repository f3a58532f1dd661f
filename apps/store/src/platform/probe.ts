import { guarded } from '@svc/contracts/guarded';

/** How long a probe may take, in milliseconds: load balancers stop waiting soon after. */
const TIMEOUT_MS = 2_000;

/** Checks a required dependency; rejects when it is unavailable. */
export type Probe = () => Promise<unknown>;

/** The probes of the required dependencies, by name. */
export type Probes = Readonly<Record<string, Probe>>;

const withinTimeout = (work: Promise<unknown>): Promise<unknown> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise((_, reject) => {
    // Responses that have already arrived win: in a process that was blocked, the timer runs before them.
    const giveUp = () => setImmediate(reject, new Error('late'));
    timer = setTimeout(guarded(giveUp), TIMEOUT_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
};

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
