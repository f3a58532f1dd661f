type Waiting = { bytes: number; pass(): void };

/** Waits until some bytes of an account may be worked on. */
export type Turns = (account: string, bytes: number) => Promise<void>;

/** Time after which what an account has sent counts half, in milliseconds. */
const HALF_LIFE_MS = 1_000;
/** Less than this counts as nothing, in bytes. */
const FORGOTTEN_BYTES = 1_024;

/** How many bytes each account has sent lately: what is older counts less and less. */
function createRecent() {
  const sent = new Map<string, number>();
  let halvedAt = performance.now();
  const halve = (): void => {
    const times = Math.floor((performance.now() - halvedAt) / HALF_LIFE_MS);
    if (times === 0) return;
    halvedAt += times * HALF_LIFE_MS;
    for (const [account, bytes] of sent) {
      const left = bytes / 2 ** times;
      if (left < FORGOTTEN_BYTES) sent.delete(account);
      else sent.set(account, left);
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

/** How many bytes pass: in one turn of the event loop, in a second, and at once after a quiet time. */
export type TurnBounds = { perTurn: number; perSecond: number; burst: number };

/** Counts what may pass by the clock: it fills at a rate, up to a size, and the last piece may leave it below nothing. */
function createBucket({ perSecond, burst }: TurnBounds) {
  let held = burst;
  let filledAt = performance.now();
  return {
    /** Bytes that may pass now. */
    left(): number {
      const now = performance.now();
      held = Math.min(burst, held + ((now - filledAt) * perSecond) / 1000);
      filledAt = now;
      return held;
    },
    take(bytes: number): void {
      held -= bytes;
    },
    /** Time until there is something again, in milliseconds. */
    waitMs: (): number => Math.max(0, (-held / perSecond) * 1000),
  };
}

/**
 * Shares this thread among those whose bytes it works on: so many bytes pass in each turn of the event loop and in each
 * second, first those of the account that has sent the fewest lately. Without it, dozens of large bodies that arrive at
 * once take the whole thread, and make each turn so long that a request which takes ten short steps waits for ten long
 * turns.
 */
export function createTurns(bounds: TurnBounds): Turns {
  const queues = new Map<string, Waiting[]>();
  const recent = createRecent();
  const bucket = createBucket(bounds);
  let passed = 0;
  let isScheduled = false;

  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    const waitMs = bucket.waitMs();
    if (waitMs > 0) setTimeout(begin, Math.ceil(waitMs));
    else setImmediate(begin);
  };

  const isOpen = (): boolean => passed < bounds.perTurn && bucket.left() > 0;

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
    // Once more when something passed, so that this turn's bytes are forgotten at its end.
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
