/**
 * Creates the one invalidation of everything that a process caches of the database. Each change of an app, a version, a publisher, an
 * account, the rules or the brand is an entry of the audit log, in its transaction: the last entry tells whether anything cached may
 * be stale, also after changes of other processes and of jobs.
 * @param lastChange the id of the last entry
 */
export function createInvalidation(lastChange: () => Promise<number>) {
  const listeners: (() => void)[] = [];
  const olderListeners: (() => void)[] = [];
  let known: number | null = null;
  const invalidate = (): void => {
    for (const listener of listeners) listener();
  };
  return {
    /** Registers a cache, or what else follows the database. */
    onChange(listener: () => void): void {
      listeners.push(listener);
    },
    /** Registers a listener for a database without the last change: it was replaced by an older copy. */
    onOlder(listener: () => void): void {
      olderListeners.push(listener);
    },
    /** Reports a change of this process. */
    invalidate,
    /**
     * Looks for changes of other processes.
     * @param refresh reads what this process keeps in memory; if it fails, the next look repeats it
     */
    async follow(refresh: () => Promise<unknown>): Promise<void> {
      const last = await lastChange();
      if (last === known) return;
      if (known !== null && last < known) for (const listener of olderListeners) listener();
      invalidate();
      await refresh();
      known = last;
    },
  };
}

/** Tells caches of the database that it has changed. */
export type Invalidation = Pick<ReturnType<typeof createInvalidation>, 'onChange' | 'onOlder'>;
