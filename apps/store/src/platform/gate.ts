import { ApiError } from './api-error.ts';

/** Who asks to be let in: the gate shares its places among accounts, and among networks. */
export type Party = {
  account: string;
  network: string;
  /** Whether the caps of one account and one network do not apply, as for the automation of the store itself. */
  trusted?: boolean;
};

/** How many are inside at once, and how many wait. */
export type Places = { active: number; waiting: number };

export type GateLimits = Places & {
  /** What one account may have of them. */
  perAccount?: Places;
  /** What one network may have of them. */
  perNetwork?: Places;
  /** Seconds after which a caller that was turned away may try again. */
  retrySeconds?: number;
};

/** Lets only so many do something at once. */
export type Gate = <T>(work: () => Promise<T>, party?: Party) => Promise<T>;

const RETRY_SECONDS = 5;

const EVERYONE: Party = { account: '', network: '', trusted: true };

/** Accounts whose time is remembered at once. */
const MAX_REMEMBERED = 10_000;

/** Counts by name, without the names that stand at zero. */
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

/** How many places each account and each network has. */
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

type Waiting = { party: Party; enter(): void };

/**
 * Bounds how much of some heavy work is under way at once. Others wait, up to a number; a caller that comes then is turned
 * away at once, which costs less than to let everyone wait too long. A free place goes to the network that has the fewest,
 * of its accounts to the one that has the fewest, then to the one that has used the least time since the gate was last
 * empty, then to the one that waits longest: an account that asks a hundred times waits behind itself.
 * @throws ApiError from the gate: `rate_limited` when one account or network asks for too much, `unavailable` when all
 *   places to wait are taken
 */
export function createGate({
  active,
  waiting,
  perAccount,
  perNetwork,
  retrySeconds: retryAfter = RETRY_SECONDS,
}: GateLimits): Gate {
  const queue: Waiting[] = [];
  const [inside, outside] = [tally(), tally()];
  const spentMs = counter();
  let count = 0;

  const isCapped = (party: Party): boolean =>
    !party.trusted &&
    (inside.account(party) >= (perAccount?.active ?? Number.POSITIVE_INFINITY) ||
      inside.network(party) >= (perNetwork?.active ?? Number.POSITIVE_INFINITY));

  const requireRoom = (party: Party): void => {
    const again = `try again in ${retryAfter} seconds.`;
    const isFull =
      outside.account(party) >= (perAccount?.waiting ?? Number.POSITIVE_INFINITY) ||
      outside.network(party) >= (perNetwork?.waiting ?? Number.POSITIVE_INFINITY);
    if (isFull && !party.trusted) {
      throw new ApiError(
        'rate_limited',
        `Too much of yours is under way: wait until some of it is done, and ${again}`,
        {
          retryAfter,
        },
      );
    }
    if (queue.length >= waiting)
      throw new ApiError('unavailable', `The store is busy: ${again}`, { retryAfter });
  };

  /** Numbers to compare one by one: the smaller goes first. */
  const rankOf = (party: Party): number[] => [
    inside.network(party),
    inside.account(party),
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
    inside.add(party, 1);
  };

  const enter = (party: Party): Promise<void> | undefined => {
    if (count < active && !isCapped(party)) {
      occupy(party);
      return undefined;
    }
    requireRoom(party);
    outside.add(party, 1);
    return new Promise((resolve) => queue.push({ party, enter: resolve }));
  };

  const leave = (party: Party, ms: number): void => {
    count -= 1;
    inside.add(party, -1);
    if (spentMs.size() >= MAX_REMEMBERED) spentMs.clear();
    spentMs.add(party.account, ms);
    const next = takeNext();
    if (next) {
      outside.add(next.party, -1);
      occupy(next.party);
      next.enter();
    }
    if (count === 0) spentMs.clear();
  };

  return async (work, party = EVERYONE) => {
    await enter(party);
    const began = performance.now();
    try {
      return await work();
    } finally {
      leave(party, performance.now() - began);
    }
  };
}
