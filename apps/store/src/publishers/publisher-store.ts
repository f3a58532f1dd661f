import type { Publisher } from '@svc/contracts';

/** What is kept of a publisher besides. */
export type PublisherMarks = {
  /** The slug as it looks, by `lookOf`. */
  look: string;
  /** What shows that the website is the publisher's, once it stands there. No secret. */
  proof: string;
};

/** What the store needs to remember of publishers. */
export interface PublisherStore {
  /** Keeps a new publisher; false when its slug is taken, or one that looks like it. */
  create(publisher: Publisher, marks: PublisherMarks): Promise<boolean>;
  find(slug: string): Promise<Publisher | null>;
  /** Applies a change and returns the result; null when there is no such publisher. */
  change(slug: string, change: { verified?: boolean; suspended?: boolean }): Promise<Publisher | null>;
}
