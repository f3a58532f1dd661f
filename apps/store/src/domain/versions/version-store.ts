import type { Issue, Manifest, PermissionDiff, VersionState } from '@svc/contracts';
import type { Transition } from './states.ts';

/** Names one version of one app. */
export type VersionRef = { appId: string; version: string };

/** A picture of a version that is served on its own. */
export type PublicFile = { path: string; sha256: string; type: string; size: number };

/** A version as it is uploaded. */
export type Upload = VersionRef & {
  publisher: string;
  sha256: string;
  /** Bytes of the zip. */
  size: number;
  manifest: Manifest;
  readme: string;
  changelog: string;
  files: PublicFile[];
  /** Warnings of the checks. */
  issues: Issue[];
  submittedAt: string;
  submittedBy: string;
};

/** A version as it stands. What is not known yet is null. */
export type VersionRecord = Upload & {
  state: VersionState;
  reasons: string[];
  permissionDiff: PermissionDiff | null;
  notes: string;
  /** Whether its publisher took it back, which leaves it `rejected`. */
  retracted: boolean;
  publishedAt: string | null;
  signature: string | null;
  keyId: string | null;
};

/** Which process works on a version, and until when no other may take it over. */
export type Lease = { by: string; until: string };

/** What may change when a version moves. A move ends the lease, unless it brings one for the step after it. */
export type VersionChange = Partial<
  Pick<
    VersionRecord,
    'reasons' | 'permissionDiff' | 'notes' | 'retracted' | 'publishedAt' | 'signature' | 'keyId'
  >
> & { lease?: Lease };

/** Who moves a version, and when. */
export type Mover = { by: string; at: string };

/** What publishing needs to remember of versions. */
export interface VersionStore {
  /** Keeps an upload as `submitted`. */
  add(upload: Upload): Promise<void>;
  find(ref: VersionRef): Promise<VersionRecord | null>;
  /** Those of some versions that are there, in no order. */
  findAll(refs: readonly VersionRef[]): Promise<VersionRecord[]>;
  /** All uploaded version numbers of an app, in no order. */
  numbersOf(appId: string): Promise<string[]>;
  /** The published versions of an app by number and time, in no order. */
  publishedNumbers(appId: string): Promise<{ version: string; publishedAt: string }[]>;
  /** The published versions of an app, whole, in no order. */
  published(appId: string): Promise<VersionRecord[]>;
  /** All versions in one of the states, oldest first. */
  inState(states: readonly VersionState[]): Promise<VersionRecord[]>;
  /** The versions in a state that nobody holds a lease on at a time, oldest first. */
  abandoned(state: VersionState, at: string): Promise<VersionRef[]>;
  /** Takes a lease on a version in a state; false when the version has moved on, or another's lease still holds. */
  claim(ref: VersionRef, state: VersionState, lease: Lease, at: string): Promise<boolean>;
  /**
   * Moves a version if it still stands where the move begins, and puts that on record, with the notes it brings; false
   * when it does not.
   */
  move(ref: VersionRef, step: Transition, change: VersionChange, mover: Mover): Promise<boolean>;
}

/** An app, as soon as a version of it was uploaded. */
export type AppOwner = { appId: string; publisher: string; suspended: boolean };

/** Which apps; all conditions must hold. `beginning` is how the id begins, `after` an id. */
export type AppSearch = {
  beginning?: string | undefined;
  publisher?: string | undefined;
  suspended?: boolean | undefined;
  after: string | null;
  limit: number;
};

/** What publishing needs to remember of apps. */
export interface AppStore {
  find(appId: string): Promise<AppOwner | null>;
  /** Binds an app id to its publisher. */
  add(app: AppOwner & { createdAt: string }): Promise<void>;
  /** Apps in the order of their ids: as many as `limit` says, and one more when there are more. */
  search(search: AppSearch): Promise<AppOwner[]>;
  suspend(appId: string, suspended: boolean): Promise<AppOwner | null>;
}
