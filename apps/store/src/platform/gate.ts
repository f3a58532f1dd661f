import { ApiError } from './api-error.ts';

/** The caller of a gate, which shares its slots fairly among accounts and networks. */
export type Party = {
  account: string;
  network: string;
  /** Whether the limits of an account and of a network do not apply, as for the automation of the store. */
  trusted?: boolean;
  /** Whether it comes first, as a browser that has signed in before: a flood of others does not delay or displace it. */
  known?: boolean;
};

/** How many callers run at the same time, and how many wait. */
export type Slots = { active: number; waiting: number };

export type GateLimits = Slots & {
  /** The limits of one account. */
  perAccount?: Slots;
  /** The limits of one network. */
  perNetwork?: Slots;
  /** Seconds after which a refused caller may try again. */
  retrySeconds?: number;
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

type Waiting = { party: Party; enter(): void; refuse(error: ApiError): void };

/**
 * Limits how much of some heavy work runs at the same time. A limited number of callers wait; any further caller is refused
 * immediately, which costs less than to let all of them wait too long. A free slot goes to a known party first, then to the network with the fewest slots, of its
 * accounts to the one with the fewest, then to the one that has used the least time since the gate was last empty, then to the one that
 * has waited longest. An account that sends a hundred requests delays only its own.
 * @throws ApiError from the gate: `rate_limited` when one account or network has too many requests, `unavailable` when the queue is
 *   full
 */
export function createGate({
  active,
  waiting,
  perAccount,
  perNetwork,
  retrySeconds: retryAfter = RETRY_SECONDS,
}: GateLimits): Gate {
  const queue: Waiting[] = [];
  const [running, queued] = [tally(), tally()];
  const spentMs = counter();
  let count = 0;

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
    const last = party.known ? queue.findLastIndex((other) => !other.party.known) : -1;
    const [displaced] = last < 0 ? [] : queue.splice(last, 1);
    if (!displaced) throw busy;
    queued.add(displaced.party, -1);
    displaced.refuse(busy);
  };

  /** Numbers that are compared one after another: the smaller goes first. */
  const rankOf = (party: Party): number[] => [
    party.known ? 0 : 1,
    running.network(party),
    running.account(party),
    spentMs.of(party.account),
  ];

  const takeNext = (): Waiting | undefined => {
    let best: { index: number; rank: number[] } | undefined;
    for (const [index, { party }] of queue.entries()) {
      if (isCapped(party)) continue;
      const rank = rankOf(party);
      const differing = best?.rank.findIndex((value, place) => value !== rank[place]) ?? -1;
      if (!best || (differing >= 0 && (rank[differing] ?? 0) < (best.rank[differing] ?? 0)))
        best = { index, rank };
    }
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
