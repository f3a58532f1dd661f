import { ApiError } from './api-error.ts';

/** The caller of a gate, which shares its slots fairly among accounts and networks. */
export type Requester = {
  account: string;
  network: string;
  /** Whether the limits of an account and of a network do not apply, as for the automation of the store. */
  trusted?: boolean;
  /** Whether it comes before all others, as a browser that has signed in before, or after them: a flood of those after it does not delay or displace it. */
  turn?: 'first' | 'last' | undefined;
};

/** How many callers run at the same time, and how many wait. */
export type Slots = { active: number; waiting: number };

export type GateLimits = Slots & {
  perAccount?: Slots;
  /** The limits of one network. */
  perNetwork?: Slots;
  /** Seconds after which a refused caller may try again. */
  retrySeconds?: number;
  /**
   * Of equal callers, whether every other slot goes to the newest while the oldest has waited for over a second, and a full queue refuses
   * the oldest: a caller then waits for the work in progress, and not for a flood that came before it. A shorter queue is served in its
   * order, in which the longest wait is the shortest. Those whose turn is last go in their order.
   */
  newestToo?: boolean;
  /** A monotonic clock, in milliseconds. */
  now?: () => number;
};

/** Runs work when a slot is free. */
export type Gate = <T>(work: () => Promise<T>, requester?: Requester) => Promise<T>;

const RETRY_SECONDS = 5;

const UNLIMITED: Requester = { account: '', network: '', trusted: true };

/** Maximum accounts whose time is remembered. */
const MAX_REMEMBERED = 10_000;

/** Counts by name, and forgets names with a count of zero. */
function counter() {
  const counts = new Map<string, number>();
  const of = (name: string): number => counts.get(name) ?? 0;
  return {
    of,
    add(name: string, change: number): void {
      const next = of(name) + change;
      if (next === 0) counts.delete(name);
      else counts.set(name, next);
    },
    clear: () => counts.clear(),
    size: () => counts.size,
  };
}

/** Counts the slots of each account and of each network. */
function tally() {
  const [accounts, networks] = [counter(), counter()];
  return {
    account: ({ account }: Requester) => accounts.of(account),
    network: ({ network }: Requester) => networks.of(network),
    add({ account, network }: Requester, change: 1 | -1): void {
      accounts.add(account, change);
      networks.add(network, change);
    },
  };
}

/** Places of the turns, in their order. */
const TURNS = { first: 0, usual: 1, last: 2 };

const turnOf = ({ turn }: Requester): keyof typeof TURNS => turn ?? 'usual';

/** How long the oldest of equal callers waits before every other slot goes to the newest, in milliseconds. */
const LATE_MS = 1_000;

type Waiting = { requester: Requester; since: number; enter(): void; refuse(error: ApiError): void };

/**
 * Limits how much of some heavy work runs at the same time. A limited number of callers wait; any further caller is refused
 * immediately, which costs less than to let all of them wait too long. A free slot goes to the requester whose turn is first, then to the network with the fewest slots, of its
 * accounts to the one with the fewest, then to the one that has used the least time since the gate was last empty, then to the one that
 * has waited longest (see also `newestToo`). An account that sends a hundred requests delays only its own.
 * @throws ApiError from the gate: `rate_limited` when one account or network has too many requests, `unavailable` when the queue is
 *   full
 */
export function createGate({
  active,
  waiting,
  perAccount,
  perNetwork,
  retrySeconds: retryAfter = RETRY_SECONDS,
  newestToo = false,
  now = () => performance.now(),
}: GateLimits): Gate {
  const queue: Waiting[] = [];
  const [running, queued] = [tally(), tally()];
  const spentMs = counter();
  let count = 0;

  /** Whether the next slot goes to the newest of equal callers. */
  let isForNewest = false;

  const isCapped = (requester: Requester): boolean =>
    !requester.trusted &&
    (running.account(requester) >= (perAccount?.active ?? Number.POSITIVE_INFINITY) ||
      running.network(requester) >= (perNetwork?.active ?? Number.POSITIVE_INFINITY));

  const assertCapacity = (requester: Requester): void => {
    const retryHint = `try again in ${retryAfter} seconds.`;
    const isFull =
      queued.account(requester) >= (perAccount?.waiting ?? Number.POSITIVE_INFINITY) ||
      queued.network(requester) >= (perNetwork?.waiting ?? Number.POSITIVE_INFINITY);
    if (isFull && !requester.trusted) {
      throw new ApiError(
        'rate_limited',
        `Too many of your requests are in progress: wait for them to finish, and ${retryHint}`,
        {
          retryAfter,
        },
      );
    }
    if (queue.length < waiting) return;
    const busy = new ApiError('unavailable', `The store is busy: ${retryHint}`, { retryAfter });
    const gap = queue.findLastIndex((other) => TURNS[turnOf(other.requester)] > TURNS[turnOf(requester)]);
    const place =
      gap < 0 && newestToo && requester.turn !== 'last'
        ? queue.findIndex((other) => turnOf(other.requester) === turnOf(requester))
        : gap;
    const [displaced] = place < 0 ? [] : queue.splice(place, 1);
    if (!displaced) throw busy;
    queued.add(displaced.requester, -1);
    displaced.refuse(busy);
  };

  /** Numbers that are compared one after another: the smaller goes first. */
  const rankOf = (requester: Requester, index: number): number[] => [
    TURNS[turnOf(requester)],
    running.network(requester),
    running.account(requester),
    // An attacker who guesses at an account does not delay its owner.
    newestToo ? 0 : spentMs.of(requester.account),
    isForNewest && requester.turn !== 'last' ? -index : index,
  ];

  const takeNext = (): Waiting | undefined => {
    let best: { index: number; rank: number[] } | undefined;
    for (const [index, { requester }] of queue.entries()) {
      if (isCapped(requester)) continue;
      const rank = rankOf(requester, index);
      const differing = best?.rank.findIndex((value, place) => value !== rank[place]) ?? 0;
      if (!best || (rank[differing] ?? 0) < (best.rank[differing] ?? 0)) best = { index, rank };
    }
    const next = best && queue.splice(best.index, 1)[0];
    const oldest = queue.find(({ requester }) => requester.turn !== 'last');
    const isLate = oldest !== undefined && now() - oldest.since > LATE_MS;
    isForNewest = newestToo && isLate && !isForNewest;
    return next;
  };

  const occupy = (requester: Requester): void => {
    count += 1;
    running.add(requester, 1);
  };

  const enter = (requester: Requester): Promise<void> | undefined => {
    if (count < active && !isCapped(requester)) {
      occupy(requester);
      return undefined;
    }
    assertCapacity(requester);
    queued.add(requester, 1);
    return new Promise((enter, refuse) => queue.push({ requester, since: now(), enter, refuse }));
  };

  const leave = (requester: Requester, ms: number): void => {
    count -= 1;
    running.add(requester, -1);
    if (spentMs.size() >= MAX_REMEMBERED) spentMs.clear();
    spentMs.add(requester.account, ms);
    const next = takeNext();
    if (next) {
      queued.add(next.requester, -1);
      occupy(next.requester);
      next.enter();
    }
    if (count === 0) spentMs.clear();
  };

  return async (work, requester = UNLIMITED) => {
    await enter(requester);
    const began = now();
    try {
      return await work();
    } finally {
      leave(requester, now() - began);
    }
  };
}
