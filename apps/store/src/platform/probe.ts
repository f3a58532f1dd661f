/** How long a readiness check may take, in milliseconds: the probe gives up soon after. */
const TIMEOUT_MS = 2_000;

/** Asks one thing the store cannot do without; rejects when it is not there. */
export type Probe = () => Promise<unknown>;

/** What the store cannot do without, by name. */
export type Probes = Readonly<Record<string, Probe>>;

const withinTimeout = (work: Promise<unknown>): Promise<unknown> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise((_, reject) => {
    // Answers that have arrived by then come first: timers do, in a process that was held up itself.
    timer = setTimeout(() => setImmediate(reject, new Error('late')), TIMEOUT_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
};

/** Whether each of them is there. What exactly is wrong is for the log, not for the answer. */
export const askProbes = (probes: Probes): Promise<{ name: string; ok: boolean }[]> =>
  Promise.all(
    Object.entries(probes).map(async ([name, probe]) =>
      withinTimeout(probe()).then(
        () => ({ name, ok: true }),
        () => ({ name, ok: false }),
      ),
    ),
  );
