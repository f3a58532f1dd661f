import type { Publisher, VerifiedBy } from '@svc/contracts';

/** What is kept of a new publisher besides. */
export type PublisherMarks = {
  /** The slug as it looks, by `lookOf`. */
  look: string;
  /** What shows that the website is the publisher's, once it stands there. No secret. */
  proof: string;
};

/** How it stands with the verification of a publisher. */
export type Standing = {
  proof: string;
  /** Null when it is not verified. */
  verifiedBy: VerifiedBy | null;
  /** When the website was last looked at. */
  checkedAt: string | null;
  /** Since when the proof is missing on the website of a publisher that it verified. */
  missingSince: string | null;
};

/** What may change about a publisher. It is verified while somebody or something verifies it. */
export type PublisherFields = Partial<
  Pick<Publisher, 'name' | 'suspended'> & { website: string | null; verifiedHost: string | null } & Omit<
      Standing,
      'proof'
    >
>;

/** A publisher whose website is to be looked at again. */
export type DueCheck = { slug: string; checkedAt: string };

/** Which publishers; all conditions must hold. `beginning` is how the slug or the name begins, `after` a slug. */
export type PublisherSearch = {
  beginning?: string | undefined;
  verified?: boolean | undefined;
  suspended?: boolean | undefined;
  after: string | null;
  limit: number;
};

/** What the store needs to remember of publishers. */
export interface PublisherStore {
  /** Keeps a new publisher; false when its slug is taken, or one that looks like it. */
  create(publisher: Publisher, marks: PublisherMarks): Promise<boolean>;
  find(slug: string): Promise<Publisher | null>;
  /** Those of the slugs that exist, in the order of their slugs. */
  findAll(slugs: readonly string[]): Promise<Publisher[]>;
  /** Publishers in the order of their slugs: as many as `limit` says, and one more when there are more. */
  search(search: PublisherSearch): Promise<Publisher[]>;
  /** How it stands with its verification; null when there is no such publisher. */
  standing(slug: string): Promise<Standing | null>;
  /** Applies a change and returns the result; null when there is no such publisher. */
  change(slug: string, change: PublisherFields): Promise<Publisher | null>;
  /** Publishers verified by their website that nobody has looked at since a time, the longest ago first. */
  dueForCheck(now: string, limit: number): Promise<DueCheck[]>;
  /** Takes a check upon oneself; false when somebody else has, or the publisher is no longer verified by its website. */
  claimCheck(due: DueCheck, at: string): Promise<boolean>;
}
