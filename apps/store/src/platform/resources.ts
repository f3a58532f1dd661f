import type { StoreHealth } from '@svc/contracts';
import type { Clock, Log } from './system.ts';

/** A resource that a process can use up: how much it uses, and the most that it can use, in the same unit. */
export type Resource = { name: string; used: number; limit: number };

/** The share in use from which a resource is near its end, and below which it no longer is: a value between them changes nothing. */
const [NEAR, CLEAR] = [0.9, 0.8];

/** A resource near its end is logged at once, and then once in so many milliseconds. */
const LINE_MS = 60_000;

type Watched = { since: string | null; loggedAt: number; isLogged: boolean };

/** Creates the watch of what this process can use up: it is reported before requests fail for want of it. */
export function createResources({
  log,
  clock,
  read,
}: {
  log: Log;
  clock: Clock;
  read: () => Promise<readonly Resource[]>;
}) {
  const watched = new Map<string, Watched>();

  function watchOf(name: string): Watched {
    const known = watched.get(name);
    if (known) return known;
    const fresh = { since: null, loggedAt: Number.NEGATIVE_INFINITY, isLogged: false };
    watched.set(name, fresh);
    return fresh;
  }

  function report({ name, used, limit }: Resource, watch: Watched, at: Date): void {
    watch.since ??= at.toISOString();
    if (Math.abs(at.getTime() - watch.loggedAt) < LINE_MS) return;
    Object.assign(watch, { loggedAt: at.getTime(), isLogged: true });
    log.warn(
      { resource: name, used, limit, since: watch.since },
      `This process is near the end of its ${name}.`,
    );
  }

  function clear({ name, used, limit }: Resource, watch: Watched): void {
    const { isLogged, since } = watch;
    Object.assign(watch, { since: null, isLogged: false });
    if (isLogged) log.warn({ resource: name, used, limit, since }, `This process has enough ${name} again.`);
  }

  return {
    /** Reads all, logs what is near its end, and returns them with the time from which on they have been. */
    async check(): Promise<StoreHealth['resources']> {
      const resources = await read();
      const at = clock();
      return resources.map((resource) => {
        const watch = watchOf(resource.name);
        const share = resource.used / resource.limit;
        if (share >= NEAR) report(resource, watch, at);
        else if (share < CLEAR && watch.since !== null) clear(resource, watch);
        return { ...resource, since: watch.since };
      });
    },
  };
}

export type Resources = ReturnType<typeof createResources>;
