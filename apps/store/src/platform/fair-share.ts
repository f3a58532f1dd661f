import { guarded } from '@svc/contracts/guarded';

type Waiting = { bytes: number; pass(): void };

/** Waits until some bytes of an account may be processed. */
export type FairShare = (account: string, bytes: number) => Promise<void>;

/** Milliseconds after which the bytes that an account has sent count half. */
const HALF_LIFE_MS = 1_000;
/** Fewer bytes than this count as none. */
const NEGLIGIBLE_BYTES = 1_024;

/** Counts how many bytes each account has sent recently, with exponential decay. */
function createRecent() {
  const sent = new Map<string, number>();
  let halvedAt = performance.now();
  const halve = (): void => {
    const times = Math.floor((performance.now() - halvedAt) / HALF_LIFE_MS);
    if (times === 0) return;
    halvedAt += times * HALF_LIFE_MS;
    for (const [account, bytes] of sent) {
      const remaining = bytes / 2 ** times;
      if (remaining < NEGLIGIBLE_BYTES) sent.delete(account);
      else sent.set(account, remaining);
    }
  };
  return {
    of: (account: string): number => sent.get(account) ?? 0,
    add(account: string, bytes: number): void {
      halve();
      sent.set(account, (sent.get(account) ?? 0) + bytes);
    },
  };
}

/** How many bytes pass: in one turn of the event loop, in a second, and as a burst after idle time. */
export type ShareBounds = { perTurn: number; perSecond: number; burst: number };

/** Creates a token bucket: it fills at a rate, up to a size, and the last piece may leave it below zero. */
function createBucket({ perSecond, burst }: ShareBounds) {
  let tokens = burst;
  let filledAt = performance.now();
  return {
    /** Bytes that may pass now. */
    available(): number {
      const now = performance.now();
      tokens = Math.min(burst, tokens + ((now - filledAt) * perSecond) / 1000);
      filledAt = now;
      return tokens;
    },
    take(bytes: number): void {
      tokens -= bytes;
    },
    /** Milliseconds until bytes may pass again. */
    waitMs: (): number => Math.max(0, (-tokens / perSecond) * 1000),
  };
}

/**
 * Shares this thread fairly among the accounts that send bytes: a limited number of bytes pass in each turn of the event loop and in
 * each second, first those of the account that has sent the fewest recently. Without it, dozens of large concurrent bodies would make
 * each turn so long that a request of ten short steps waits for ten long share.
 */
export function createFairShare(bounds: ShareBounds): FairShare {
  const queues = new Map<string, Waiting[]>();
  const recent = createRecent();
  const bucket = createBucket(bounds);
  let passed = 0;
  let isScheduled = false;

  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    const waitMs = bucket.waitMs();
    if (waitMs > 0) setTimeout(guarded(begin), Math.ceil(waitMs));
    else setImmediate(guarded(begin));
  };

  const isOpen = (): boolean => passed < bounds.perTurn && bucket.available() > 0;

  const pass = (account: string, bytes: number): void => {
    passed += bytes;
    bucket.take(bytes);
    recent.add(account, bytes);
  };

  const nextAccount = (): string | undefined => {
    let next: string | undefined;
    for (const account of queues.keys()) {
      if (next === undefined || recent.of(account) < recent.of(next)) next = account;
    }
    return next;
  };

  const passNext = (account: string): void => {
    const queue = queues.get(account);
    const first = queue?.shift();
    if (queue?.length === 0) queues.delete(account);
    if (!first) return;
    pass(account, first.bytes);
    first.pass();
  };

  function begin(): void {
    isScheduled = false;
    passed = 0;
    for (let next = nextAccount(); next !== undefined && isOpen(); next = nextAccount()) passNext(next);
    // Scheduled once more when bytes passed, to reset the count of this turn.
    if (passed > 0 || queues.size > 0) schedule();
  }

  return (account, bytes) => {
    if (queues.size === 0 && isOpen()) {
      pass(account, bytes);
      schedule();
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const queue = queues.get(account) ?? [];
      queue.push({ bytes, pass: resolve });
      queues.set(account, queue);
      schedule();
    });
  };
}
