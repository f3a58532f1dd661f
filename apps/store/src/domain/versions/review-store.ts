import type { Issue, Manifest, PastDecision, PermissionDiff, ReviewLock, VersionMove } from '@svc/contracts';
import type { VersionRef } from './version-store.ts';

/** What the queue is ordered by: superseded last, then by time; id and number break ties. */
export type QueueKey = VersionRef & { superseded: boolean; submittedAt: string };

/** A version that waits for a person. The lock may have run out. */
export type Waiting = QueueKey & {
  name: string;
  publisher: string;
  reasons: string[];
  issues: Issue[];
  permissionDiff: PermissionDiff | null;
  /** Given where there is no permission diff, as it must be made from the manifest then. */
  manifest: Manifest | null;
  sha256: string;
  /** Bytes of the zip. */
  size: number;
  lock: ReviewLock | null;
  /** Place in the whole queue, from 1. */
  position: number;
};

/** What narrows the queue; null does not. */
export type QueueFilter = {
  /** One reason, or the start of some that ends in a colon. */
  reason: string | null;
  publisher: string | null;
  appId: string | null;
  superseded: boolean | null;
  /** Submitted before that moment, or not before it. */
  submitted: { before: boolean; moment: string } | null;
  lock: { held: 'me' | 'others' | 'nobody'; me: string; now: string } | null;
};

/** How a waiting version stands. The lock may have run out. */
export type Standing = QueueKey & { lock: ReviewLock | null };

/** What moderation needs to remember of versions that wait, and of what was decided. */
export interface ReviewStore {
  /** One page of those that wait, in order; `end` is null on the last. */
  page(
    filter: QueueFilter,
    limit: number,
    after: QueueKey | null,
  ): Promise<{ entries: Waiting[]; total: number; end: QueueKey | null }>;
  /** Null of a version that does not wait. */
  standing(ref: VersionRef): Promise<Standing | null>;
  /** The place of a waiting version in the whole queue, from 1, and the length of it; null when it waits no more. */
  placeOf(key: QueueKey): Promise<{ position: number; of: number } | null>;
  /**
   * Locks a waiting version for its holder, or renews the lock; false when another holds one that has not run out, or
   * the version waits no more.
   */
  lock(ref: VersionRef, lock: ReviewLock, now: string): Promise<boolean>;
  /** Takes the lock away, whoever holds it. */
  unlock(ref: VersionRef): Promise<void>;
  /** The moves of a version, oldest first. */
  moves(ref: VersionRef): Promise<VersionMove[]>;
  /** The latest moves that people made of other versions of an app or a publisher, newest first. */
  decisions(
    of: { appId: string } | { publisher: string },
    except: VersionRef,
    limit: number,
  ): Promise<PastDecision[]>;
}
