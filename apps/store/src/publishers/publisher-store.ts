import type { Publisher } from '@svc/contracts';

/** What the store needs to remember of publishers. */
export interface PublisherStore {
  /** Keeps a new publisher; false when the slug is taken. */
  create(publisher: Publisher): Promise<boolean>;
  find(slug: string): Promise<Publisher | null>;
  /** Applies a change and returns the result; null when there is no such publisher. */
  change(slug: string, change: { verified?: boolean; suspended?: boolean }): Promise<Publisher | null>;
}
