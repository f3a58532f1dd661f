import { ApiError } from './api-error.ts';

/** The caller of a gate, which shares its slots fairly among accounts and networks. */
export type Party = {
  account: string;
  network: string;
  /** Whether the limits of an account and of a network do not apply, as for the automation of the store. */
  trusted?: boolean;
  /** Whether it comes before all others, as a browser that has signed in before, or after them: a flood of those after it does not delay or displace it. */
  turn?: 'first' | 'last';
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
   * Of equal callers, whether every other slot goes to the newest, and a full queue refuses the oldest: a caller then waits for the work
   * in progress, and not for a flood that came before it. Those whose turn is last go in their order.
   */
  newestToo?: boolean;
};

/** Runs work when a slot is free. */
export type Gate = <T>(work: () => Promise<T>, party?: Party) => Promise<T>;

const RETRY_SECONDS = 5;

const UNLIMITED: Party = { account: '', network: '', trusted: true };

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
    account: ({ account }: Party) => accounts.of(account),
    network: ({ network }: Party) => networks.of(network),
    add({ account, network }: Party, change: 1 | -1): void {
      accounts.add(account, change);
      networks.add(network, change);
    },
  };
}

/** Places of the turns, in their order. */
const TURNS = { first: 0, usual: 1, last: 2 };

const turnOf = ({ turn }: Party): keyof typeof TURNS => turn ?? 'usual';

type Waiting = { party: Party; enter(): void; refuse(error: ApiError): void };

/**
 * Limits how much of some heavy work runs at the same time. A limited number of callers wait; any further caller is refused
 * immediately, which costs less than to let all of them wait too long. A free slot goes to the party whose turn is first, then to the network with the fewest slots, of its
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
}: GateLimits): Gate {
  const queue: Waiting[] = [];
  const [running, queued] = [tally(), tally()];
  const spentMs = counter();
  let count = 0;

  /** Whether the next slot goes to the newest of equal callers. */
  let isForNewest = newestToo;

  const isCapped = (party: Party): boolean =>
    !party.trusted &&
    (running.account(party) >= (perAccount?.active ?? Number.POSITIVE_INFINITY) ||
      running.network(party) >= (perNetwork?.active ?? Number.POSITIVE_INFINITY));

  const assertCapacity = (party: Party): void => {
    const retryHint = `try again in ${retryAfter} seconds.`;
    const isFull =
      queued.account(party) >= (perAccount?.waiting ?? Number.POSITIVE_INFINITY) ||
      queued.network(party) >= (perNetwork?.waiting ?? Number.POSITIVE_INFINITY);
    if (isFull && !party.trusted) {
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
    const gap = queue.findLastIndex((other) => TURNS[turnOf(other.party)] > TURNS[turnOf(party)]);
    const place =
      gap < 0 && newestToo && party.turn !== 'last'
        ? queue.findIndex((other) => turnOf(other.party) === turnOf(party))
        : gap;
    const [displaced] = place < 0 ? [] : queue.splice(place, 1);
    if (!displaced) throw busy;
    queued.add(displaced.party, -1);
    displaced.refuse(busy);
  };

  /** Numbers that are compared one after another: the smaller goes first. */
  const rankOf = (party: Party, index: number): number[] => [
    TURNS[turnOf(party)],
    running.network(party),
    running.account(party),
    // An attacker who guesses at an account does not delay its owner.
    newestToo ? 0 : spentMs.of(party.account),
    isForNewest && party.turn !== 'last' ? -index : index,
  ];

  const takeNext = (): Waiting | undefined => {
    let best: { index: number; rank: number[] } | undefined;
    for (const [index, { party }] of queue.entries()) {
      if (isCapped(party)) continue;
      const rank = rankOf(party, index);
      const differing = best?.rank.findIndex((value, place) => value !== rank[place]) ?? 0;
      if (!best || (rank[differing] ?? 0) < (best.rank[differing] ?? 0)) best = { index, rank };
    }
    isForNewest = newestToo && !isForNewest;
    return best && queue.splice(best.index, 1)[0];
  };

  const occupy = (party: Party): void => {
    count += 1;
    running.add(party, 1);
  };

  const enter = (party: Party): Promise<void> | undefined => {
    if (count < active && !isCapped(party)) {
      occupy(party);
      return undefined;
    }
    assertCapacity(party);
    queued.add(party, 1);
    return new Promise((enter, refuse) => queue.push({ party, enter, refuse }));
  };

  const leave = (party: Party, ms: number): void => {
    count -= 1;
    running.add(party, -1);
    if (spentMs.size() >= MAX_REMEMBERED) spentMs.clear();
    spentMs.add(party.account, ms);
    const next = takeNext();
    if (next) {
      queued.add(next.party, -1);
      occupy(next.party);
      next.enter();
    }
    if (count === 0) spentMs.clear();
  };

  return async (work, party = UNLIMITED) => {
    await enter(party);
    const began = performance.now();
    try {
      return await work();
    } finally {
      leave(party, performance.now() - began);
    }
  };
}
