import type { StoreReader } from '@svc/runtime/store-client';
import { cleanLine } from '@svc/text';
import { systemActor } from '../../core/domain/audit/audit-log.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Outages } from '../../platform/outages.ts';
import { sha256Of } from '../../platform/sha256.ts';
import type { CarryDeps, Reading } from './carry-app.ts';
import { createCarrier } from './carry-apps.ts';
import { applyList } from './follow-list.ts';
import { createEventReader } from './read-events.ts';
import { createListSources } from './read-list.ts';
import { createTrust, UpstreamError } from './trust.ts';
import type { Failure, KeptUpstream } from './upstream-store.ts';

export type SyncDeps = CarryDeps & {
  baseUrl: string;
  revocationList: { renew(): Promise<void> };
  /** After so many days of failures new installs of the apps of an upstream stop. */
  upstreamDays: number;
  outages: Pick<Outages, 'add' | 'tried'>;
  metrics: Pick<Metrics, 'measure'>;
};

// The runtime takes a tenth of a second to load, and most stores have no upstream.
const client = () => import('@svc/runtime/store-client');

/**
 * Opens a reader of a store.
 * @param fetch answers its requests; by default the network
 * @throws TypeError for an address that is none of a store
 */
export async function openReader(
  baseUrl: string,
  address: string,
  fetch?: typeof globalThis.fetch,
): Promise<StoreReader> {
  const { createStoreReader, defaultSystem: system, storeFetch } = await client();
  const installId = `store-${sha256Of(baseUrl).slice(0, 32)}`;
  return createStoreReader({ system, fetch: fetch ?? storeFetch, store: address, installId });
}

const DAY_MS = 24 * 3_600_000;

/** How long after it was last looked up the age of an upstream is a metric, in milliseconds. */
const SEEN_MS = 10 * 60_000;

/** Longest message of an upstream that is kept, in characters. */
const MESSAGE = 300;

/** What stops an upstream, in words without a secret. */
function failureOf(error: unknown): Failure {
  if (error instanceof UpstreamError) return { code: error.code, message: error.message };
  const { code, message } = error as { code?: unknown; message?: string };
  const known = {
    'store-unreachable': 'unreachable',
    'too-slow': 'unreachable',
    'store-refused': 'unreachable',
  } as const;
  if (code === 'sign-in-needed')
    return { code: 'unreachable', message: 'Only its members may read that store.' };
  if (typeof code === 'string' && code in known)
    return { code: known[code as keyof typeof known], message: cleanLine(message ?? '', MESSAGE) };
  return { code: 'failed', message: 'Carrying its apps failed here: the log of this store says why.' };
}

/** The beginning of the names of upstreams in *Health* and the metrics. */
const SERVICE = 'upstream ';

const serviceOf = ({ address }: KeptUpstream): string => SERVICE + new URL(address).host;

type Work = (upstream: KeptUpstream, signal?: AbortSignal) => Promise<void>;

/** Runs work for each upstream, of which none waits for another: a slow one delays only itself. */
function eachByItself({ upstreams, log }: Pick<SyncDeps, 'upstreams' | 'log'>, work: Work) {
  const running = new Map<string, Promise<void>>();
  return {
    /** Begins the work for each upstream for which it does not run, without waiting for its end. */
    async work(signal?: AbortSignal): Promise<void> {
      for (const upstream of await upstreams.list()) {
        if (running.has(upstream.id)) continue;
        const done = work(upstream, signal)
          .catch((err: unknown) => {
            if (!signal?.aborted)
              log.error({ err, upstream: upstream.address }, 'An upstream was not followed.');
          })
          .finally(() => running.delete(upstream.id));
        running.set(upstream.id, done);
      }
    },
    /** Waits for the work that runs. */
    async idle(): Promise<void> {
      while (running.size > 0) await Promise.all(running.values());
    },
  };
}

export function createSync(deps: SyncDeps) {
  const services = new Set<string>();
  /** When the lists of each upstream last verified, and when that was looked up: one that was removed is no longer. */
  const verified = new Map<string, { at: number; seen: number }>();
  const carrier = createCarrier(deps);
  const readList = createListSources(deps.clock);
  const events = createEventReader(deps.clock);
  /** The name of this process among those of the store: one of them follows an upstream. */
  const process = deps.newId();
  const leads = (upstream: KeptUpstream): Promise<boolean> =>
    deps.upstreams.lead(upstream.id, process, deps.clock());

  /** Records whether an upstream works, for *Health* and the metrics. */
  function report(upstream: KeptUpstream, why: string | null): void {
    const service = serviceOf(upstream);
    if (!services.has(service)) deps.outages.add(service);
    services.add(service);
    deps.outages.tried(service, why);
  }

  /** @param source what is read instead of the network, and the time of that */
  async function open(
    upstream: KeptUpstream,
    signal?: AbortSignal,
    source?: { reader: StoreReader; now(): number },
  ): Promise<Reading> {
    const reader = source?.reader ?? (await openReader(deps.baseUrl, upstream.address));
    const now = source?.now ?? (() => deps.clock().getTime());
    const trust = createTrust(upstream, reader, now, (before, keys) =>
      deps.unitOfWork(async ({ upstreams, audit }) => {
        if (!(await upstreams.follow(upstream.id, before, keys))) return false;
        const detail = { origin: upstream.address, keyId: keys.at(-1)?.keyId ?? '' };
        await audit.add(systemActor('upstream'), deps.clock().toISOString(), {
          action: 'upstream.key',
          detail,
        });
        return true;
      }),
    );
    return { upstream, reader, trust, signal, hasEvents: events.areRead(upstream.id) };
  }

  /** Stops new installs of the apps of an upstream that fails for too long, or ends that. */
  async function holdApps({ id }: KeptUpstream, isSilent: boolean): Promise<void> {
    await deps.unitOfWork(async ({ upstreams, audit }) => {
      const upstream = await upstreams.find(id);
      if (!upstream) return;
      const slugs = await upstreams.publishersOf(upstream.address);
      const changed = await upstreams.holdAll(slugs, isSilent ? null : 'silent', isSilent ? 'silent' : null);
      if (changed.length === 0) return;
      const detail = { origin: upstream.address, stopped: isSilent, apps: changed.length };
      await audit.add(systemActor('upstream'), deps.clock().toISOString(), {
        action: 'upstream.change',
        detail,
      });
    });
  }

  /** Runs a part of the reading of an upstream, and records whether it worked. */
  async function recorded(
    upstream: KeptUpstream,
    signal: AbortSignal | undefined,
    work: () => Promise<void>,
  ) {
    try {
      await work();
      return true;
    } catch (error) {
      if (signal?.aborted) return false;
      const failure = failureOf(error);
      report(upstream, failure.message);
      const at = deps.clock();
      if (upstream.failure?.message !== failure.message)
        deps.log.warn({ err: error, upstream: upstream.address }, 'An upstream cannot be followed.');
      await deps.upstreams.fails(upstream.id, failure, at.toISOString());
      return false;
    }
  }

  /** Reads the revocation list of an upstream, and does what it says. */
  async function follow(reading: Reading): Promise<void> {
    const { upstream } = reading;
    const fresh = await readList(reading);
    if (!fresh) return;
    const at = deps.clock().toISOString();
    const changed = await deps.unitOfWork((stores) => applyList(stores, upstream, fresh, at));
    if (changed > 0) await deps.revocationList.renew();
  }

  /** Whether nothing of an upstream verified for so long that new installs of its apps stop. */
  function isSilent({ reachedAt, addedAt }: KeptUpstream): boolean {
    return deps.clock().getTime() - Date.parse(reachedAt ?? addedAt) > deps.upstreamDays * DAY_MS;
  }

  /** Reports how an upstream is that is read from files alone: no request is made. */
  async function watchFiles(upstream: KeptUpstream): Promise<void> {
    const isOld = isSilent(upstream);
    const old = `Its last export is older than ${deps.upstreamDays} days.`;
    report(upstream, upstream.failure?.message ?? (isOld ? old : null));
    await holdApps(upstream, isOld);
  }

  /** Follows the yanks of an upstream. A fork is looked into by a person: its lists are followed, but nothing new comes. */
  async function followOne(upstream: KeptUpstream, signal?: AbortSignal): Promise<void> {
    const at = Date.parse(upstream.reachedAt ?? upstream.addedAt);
    verified.set(serviceOf(upstream), { at, seen: deps.clock().getTime() });
    if (upstream.file) return watchFiles(upstream);
    if (!(await leads(upstream))) return;
    const works = await recorded(upstream, signal, async () => follow(await open(upstream, signal)));
    if (signal?.aborted) return;
    const now = deps.clock();
    // A failure ends when its apps can be carried.
    if (works && !upstream.failure) report(upstream, null);
    if (works && upstream.failure?.code !== 'forked') {
      await deps.upstreams.reached(upstream.id, now.toISOString());
      return holdApps(upstream, false);
    }
    if (isSilent(upstream)) await holdApps(upstream, true);
  }

  /** Looks at once at what an upstream says has changed. One that serves no events is followed all the same. */
  async function readEventsOf(upstream: KeptUpstream, signal?: AbortSignal): Promise<void> {
    const isQuiet = upstream.file !== null || upstream.failure !== null || upstream.reachedAt === null;
    if (isQuiet || !(await leads(upstream))) return;
    const { isYank, appIds } = await open(upstream, signal)
      .then(events.read)
      // The lists say whether it is away.
      .catch(() => ({ isYank: false, appIds: [] }));
    if (isYank) await followOne(upstream, signal);
    if (appIds.length === 0) return;
    await deps.upstreams.lookSoon(upstream.id, appIds);
    const followed = await deps.upstreams.find(upstream.id);
    if (followed) await carryOne(followed, signal);
  }

  async function carryOne(upstream: KeptUpstream, signal?: AbortSignal): Promise<void> {
    if (upstream.file) return;
    const isStuck = upstream.failure?.code === 'forked' || upstream.reachedAt === null;
    if (isStuck || !(await deps.upstreams.takeTurn(upstream.id, deps.clock()))) return;
    try {
      const works = await recorded(upstream, signal, async () => {
        // What is yanked there is never carried: its list comes first, and nothing comes without one that verifies.
        await follow(await open(upstream, signal));
        const followed = await deps.upstreams.find(upstream.id);
        if (followed) await carrier.carry(await open(followed, signal));
      });
      if (!works) return;
      await deps.upstreams.works(upstream.id);
      report(upstream, null);
    } finally {
      await deps.upstreams.endTurn(upstream.id);
    }
  }

  deps.metrics.measure({
    name: 'svc_upstream_age_seconds',
    help: 'Time since the lists of an upstream last verified; of one that is read from files, since its last export began.',
    label: 'upstream',
    read: () => {
      const now = deps.clock().getTime();
      const current = [...verified].filter(([, { seen }]) => Math.abs(now - seen) < SEEN_MS);
      return Object.fromEntries(
        current.map(([name, { at }]) => [name.slice(SERVICE.length), (now - at) / 1_000]),
      );
    },
  });
  return {
    /** The steps of the reading of an upstream, which is the same from a file. */
    steps: { open, follow, recorded, holdApps, isSilent },
    /** Follows the revocation list of each upstream once. */
    following: eachByItself(deps, followOne),
    /** Reads the events of each upstream once, and looks at what they name. */
    events: eachByItself(deps, readEventsOf),
    /** Carries what is new of each upstream once. */
    carrying: eachByItself(deps, carryOne),
  };
}

/** The steps of the reading of an upstream. */
export type SyncSteps = ReturnType<typeof createSync>['steps'];
