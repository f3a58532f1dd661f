import type { OwnApp, VersionState } from '@svc/contracts';
import type { VersionRecord } from '../../domain/versions/version-store.ts';

/** An app of a publisher, and how its versions stand. States in which it has none are left out of `counts`. */
export type OwnAppRecord = Pick<
  OwnApp,
  'appId' | 'name' | 'suspended' | 'createdAt' | 'newest' | 'listed'
> & {
  counts: Partial<Record<VersionState, number>>;
};

/** A version without what only its own page shows. */
export type OwnVersionRecord = Pick<
  VersionRecord,
  'version' | 'state' | 'submittedAt' | 'publishedAt' | 'sha256' | 'size' | 'reasons' | 'notes' | 'retracted'
>;

/** Where a page of versions ends. */
export type VersionKey = { submittedAt: string; version: string };

/** What those who act for a publisher read of its apps. */
export interface OwnAppStore {
  /** Apps of a publisher in the order of their ids, from behind one on. */
  page(publisher: string, limit: number, after: string | null): Promise<OwnAppRecord[]>;
  /** An app, when it is this publisher's. */
  find(publisher: string, appId: string): Promise<OwnAppRecord | null>;
  /** Versions of an app, the newest upload first, from behind one on. */
  versions(appId: string, limit: number, after: VersionKey | null): Promise<OwnVersionRecord[]>;
}
