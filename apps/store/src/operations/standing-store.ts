/** How many of something there are, and since when the oldest of them waits. */
export type Backlog = { count: number; oldestAt: string | null };

/** What waits in the store. */
export type StoreStanding = {
  /** Versions that wait for a person, and those of them submitted before the moment asked about. */
  queue: { waiting: number; overdue: number };
  submitted: Backlog;
  checking: Backlog;
  approved: Backlog;
  mails: Backlog & { tried: number };
};

/** Counts what waits. */
export interface StandingStore {
  /** @param dueBefore versions in review that were submitted before it are overdue */
  standing(dueBefore: string): Promise<StoreStanding>;
}
