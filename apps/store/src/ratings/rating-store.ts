import type { FlagReason } from '@svc/contracts';

/** What the publisher of an app answers. */
export type Reply = { body: string; createdAt: string; updatedAt: string };

/** What somebody says of an app. */
export type Rating = {
  id: string;
  appId: string;
  author: { id: string; name: string };
  stars: number;
  title: string;
  body: string;
  version: string;
  createdAt: string;
  updatedAt: string;
  reply: Reply | null;
  /** Whether a moderator hid it. */
  hidden: boolean;
  /** Whether its author is suspended. */
  withheld: boolean;
  /** What the moderator said; empty when none decided. */
  note: string;
  /** Since when a moderator should look; null when none needs to. */
  waitingSince: string | null;
  /** Whether its author took it back when it was hidden: then it holds no text, and is shown to nobody. */
  removed: boolean;
};

/** The parts that its author writes. */
export type Written = Pick<
  Rating,
  'stars' | 'title' | 'body' | 'version' | 'createdAt' | 'updatedAt' | 'waitingSince'
>;

/** Where a page ends: a time and the id of the last rating. */
export type RatingKey = { at: string; id: string };

/** What the store remembers of what people say. */
export interface RatingStore {
  find(id: string): Promise<Rating | null>;
  /** What somebody said of an app, also when it is not shown. */
  of(personId: string, appId: string): Promise<Rating | null>;
  add(rating: Written & { id: string; appId: string; personId: string }): Promise<void>;
  /** Puts what its author writes in place of what was there, or of nothing when they had taken it back. */
  rewrite(id: string, written: Written): Promise<void>;
  /** Removes all of it. */
  remove(id: string): Promise<void>;
  /** Removes its text, and remembers that it was hidden. */
  blank(id: string, at: string): Promise<void>;
  reply(id: string, reply: Reply | null): Promise<void>;
  /** Notes what a moderator decided; it waits no more. */
  decide(id: string, decision: { hidden: boolean; note: string }): Promise<void>;
  /** Lets a rating wait for a moderator, since a time unless it does already. */
  bringUp(id: string, since: string): Promise<void>;
  /** Withholds all that somebody said, or shows it again. @returns those whose stars count no more, or again */
  withhold(personId: string, withheld: boolean): Promise<{ appId: string; stars: number }[]>;
  /** Those of an app that are shown, newest first: one more than `limit` when there are more. */
  shown(appId: string, after: RatingKey | null, limit: number): Promise<Rating[]>;
  /** Those that wait for a moderator, oldest first: one more than `limit` when there are more. */
  waiting(after: RatingKey | null, limit: number): Promise<Rating[]>;
  /** Forgets those that were taken back before a time. */
  forgetRemoved(before: string): Promise<void>;
}

/** Whether all may read a rating, and its stars count. */
export const isShown = ({ hidden, withheld }: Pick<Rating, 'hidden' | 'withheld'>): boolean =>
  !hidden && !withheld;

/** Somebody's word that a moderator should look. */
export type Flag = {
  ratingId: string;
  personId: string;
  byPublisher: boolean;
  reason: FlagReason;
  note: string;
  at: string;
};

/** What the store remembers of flags. */
export interface FlagStore {
  /** Keeps a flag, in the place of an earlier one of the same person. */
  put(flag: Flag): Promise<void>;
  /** When somebody's flag was decided: null when it still waits, undefined when there is none. */
  decidedAt(ratingId: string, personId: string): Promise<string | null | undefined>;
  /** The flags of some ratings that nobody has decided, oldest first, at most so many of each. */
  open(ratingIds: readonly string[], most: number): Promise<Flag[]>;
  decide(ratingId: string, at: string): Promise<void>;
  /** Forgets those that were decided before a time. */
  forgetDecided(before: string): Promise<void>;
}
