/** An installation of an app: the hash of its id and the app, and what is known of it. */
export type Installation = {
  idHash: string;
  appId: string;
  /** The version that was fetched last. */
  version: string;
  /** Whether it counts as an install of the app. */
  counted: boolean;
  /** For whom it speaks; null until somebody rates with it. */
  personId: string | null;
};

/** A fetch of a version by an installation, on a day. */
export type Fetch = { day: string; idHash: string; version: string };

/** Installations that came from a network on a day; `appId` is empty for those of all apps. */
export type NetworkCount = { day: string; networkHash: string; appId: string; installs: number };

/** What happened with a version on a day. */
export type DayCount = { day: string; version: string; installs: number; updates: number };

/** What counting installs needs to remember. A day is written `2026-03-01`, in UTC. */
export interface InstallStore {
  /** The store's own secret for a purpose: the one that is kept, or else the fresh one, which is kept from now on. */
  secret(name: string, fresh: string): Promise<string>;
  /** Those of some installations that are known. */
  known(idHashes: readonly string[]): Promise<Installation[]>;
  /** Keeps new installations, and of known ones the version. Each hash once. */
  put(installations: readonly Omit<Installation, 'personId'>[]): Promise<void>;
  /** Counts installations from networks. @returns the counts with these added, in no order */
  countFrom(networks: readonly NetworkCount[]): Promise<NetworkCount[]>;
  /** Notes fetches. @returns those that were not noted before */
  noteFetches(fetches: readonly Fetch[]): Promise<Fetch[]>;
  /** Adds to the counts of apps. Each app, day and version once. */
  count(counts: readonly (DayCount & { appId: string })[]): Promise<void>;
  /** The counts of an app from one day to another, by day. */
  countsOf(appId: string, from: string, to: string): Promise<DayCount[]>;
  /** Lets an installation speak for somebody; false when it speaks for somebody else. */
  bind(idHash: string, personId: string): Promise<boolean>;
  /** An installation of an app that speaks for somebody. */
  speakingFor(personId: string, appId: string): Promise<Installation | null>;
  /** Forgets what was noted so that a day counts once, for days before one. The counts stay. */
  forgetBefore(day: string): Promise<void>;
}
