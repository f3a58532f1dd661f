type Waiting = { bytes: number; pass(): void };

/** Waits until some bytes of an account may be worked on. */
export type Turns = (account: string, bytes: number) => Promise<void>;

/**
 * Shares this thread among those whose bytes it works on: in each turn of the event loop so many bytes pass, one piece of
 * each account after the other. Without it, dozens of large bodies that arrive at once make each turn so long that a
 * request which takes ten short steps waits for ten long turns.
 * @param bytesPerTurn the last piece of a turn may go beyond it
 */
export function createTurns(bytesPerTurn: number): Turns {
  /** Who waits, by account; the account that comes next is the first. */
  const queues = new Map<string, Waiting[]>();
  let left = bytesPerTurn;
  let isScheduled = false;

  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(begin);
  };

  const passNext = (): boolean => {
    const [account, queue] = queues.entries().next().value ?? [];
    const next = queue?.shift();
    if (account === undefined || queue === undefined || next === undefined) return false;
    queues.delete(account);
    if (queue.length > 0) queues.set(account, queue);
    left -= next.bytes;
    next.pass();
    return true;
  };

  function begin(): void {
    isScheduled = false;
    left = bytesPerTurn;
    let passed = false;
    while (left > 0 && passNext()) passed = true;
    if (passed) schedule();
  }

  return (account, bytes) => {
    if (left > 0 && queues.size === 0) {
      left -= bytes;
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
