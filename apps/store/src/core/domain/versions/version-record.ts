import {
  type CarriedOrigin,
  compareVersions,
  type Issue,
  isPreRelease,
  type Manifest,
  type PermissionDiff,
  type VersionAttestation,
  type VersionSource,
  type VersionState,
} from '@svc/contracts';
import type { Selectable } from 'kysely';
import type { Tables } from '../../../platform/database/schema.ts';
import { flag } from '../../../platform/database/tables/columns.ts';
import type { Clock } from '../../../platform/system.ts';
import { endOf } from '../../../platform/terms.ts';

/** Newest first. Build metadata does not order versions (SemVer 2.0.0 section 10), so the text breaks ties. */
export const byVersionDescending = (a: { version: string }, b: { version: string }): number =>
  compareVersions(b.version, a.version) || (a.version < b.version ? 1 : -1);

/** The greatest of some versions. Null for an empty list. */
const greatest = <V>(items: readonly V[], versionOf: (item: V) => string): V | null =>
  items.reduce<V | null>(
    (best, item) => (best !== null && compareVersions(versionOf(item), versionOf(best)) <= 0 ? best : item),
    null,
  );

/** The greatest version; a pre-release only when there is no stable version. Null for an empty list. */
export function latestOf<V extends { version: string }>(versions: readonly V[]): V | null {
  const stable = versions.filter(({ version }) => !isPreRelease(version));
  return greatest(stable.length > 0 ? stable : versions, ({ version }) => version);
}

/** The greatest of some version numbers, including pre-releases. Null for an empty list. */
export const greatestOf = (versions: readonly string[]): string | null =>
  greatest(versions, (version) => version);

/** The dependencies of `leaseFrom`. */
export type LeaseDeps = {
  clock: Clock;
  /** Identifies this process among the processes of the store. */
  processName: string;
};

/**
 * Creates a lease for this process that begins now. A check or a signature takes milliseconds; a process that needs longer than the lease is
 * considered dead. Two processes that sign at the same time only duplicate work: each transition is a compare-and-set.
 */
export const leaseFrom = ({ clock, processName }: LeaseDeps): Lease => ({
  by: processName,
  until: endOf('versions.lease_until', clock()),
});

/** The origin of a carried version, and whether what the administrator chose for its store lets it wait for a moderator. */
export type KeptOrigin = CarriedOrigin & { review: boolean };

/** Identifies one version of one app. */
export type VersionRef = { appId: string; version: string };

/**
 * A picture of a version that is served on its own: one that the branding names, or else one that only its README shows. `look` is that of
 * its raster, for the icon.
 */
export type PublicFile = {
  path: string;
  sha256: string;
  type: string;
  size: number;
  inReadme?: true;
  look?: string;
};

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
  /** The CI job that uploaded it; absent when none did. */
  source?: VersionSource;
  /** The CI job that built it, as its attestation proves; absent without one. */
  attestation?: VersionAttestation;
  /** The attestation as it was sent; only in a new upload. */
  attestationText?: string;
  /** Whether it waits until a member of its publisher confirms it. */
  awaitsConfirmation?: true;
  /** The store that it comes from; absent when it was uploaded here. Its publisher here stands for the one there. */
  origin?: KeptOrigin;
};

/** The approval of the first of two persons: of which act, and of what exactly. */
export type FirstApproval = { by: string; act: 'approve' | 'unyank' | 'tools'; of: string };

const firstApprovalOf = ({ first_by: by, first_json: json }: Selectable<Tables['versions']>) =>
  by === null || json === null ? {} : { first: { by, ...(JSON.parse(json) as Omit<FirstApproval, 'by'>) } };

/** The columns of a first approval; null ends it. */
export const firstColumns = (first: FirstApproval | null) => {
  if (first === null) return { first_by: null, first_json: null };
  const { by, ...approved } = first;
  return { first_by: by, first_json: JSON.stringify(approved) };
};

/** The current state of a version. Fields that are not known yet are null. */
export type VersionRecord = Upload & {
  state: VersionState;
  reasons: string[];
  permissionDiff: PermissionDiff | null;
  notes: string;
  /** Whether its publisher retracted it, which leaves it `rejected`. */
  retracted: boolean;
  publishedAt: string | null;
  signature: string | null;
  keyId: string | null;
  /** The first approval, where a second person must decide. */
  first?: FirstApproval;
};

/** The look of the icon of a version; null when it has none. */
export const iconLookOf = ({ files, manifest }: Pick<Upload, 'files' | 'manifest'>): string | null =>
  files.find(({ path }) => path === manifest.branding.icon)?.look ?? null;

/** The fields that are needed to serve a version, or to explain why it is not served. */
export type ServedVersion = Pick<
  VersionRecord,
  | 'appId'
  | 'version'
  | 'state'
  | 'notes'
  | 'sha256'
  | 'files'
  | 'signature'
  | 'keyId'
  | 'publishedAt'
  | 'origin'
> & {
  /** Whether its app is listed, and not hidden. */
  isListed: boolean;
};

/** The process that works on a version, and until when no other process may take it over. */
export type Lease = { by: string; until: string };

/** The fields that a transition may change. It ends the lease, unless it sets one for the next step. */
export type VersionChange = Partial<
  Pick<
    VersionRecord,
    'reasons' | 'permissionDiff' | 'notes' | 'retracted' | 'publishedAt' | 'signature' | 'keyId'
  >
> & { lease?: Lease; withheld?: true };

/** A published version without its manifest and its files. */
export type PublishedRecord = Pick<
  VersionRecord,
  | 'appId'
  | 'version'
  | 'sha256'
  | 'size'
  | 'changelog'
  | 'publishedAt'
  | 'signature'
  | 'keyId'
  | 'source'
  | 'attestation'
  | 'origin'
> & { deprecated?: string };

/** The CI jobs that uploaded and built a version, and the store that it comes from. */
export const originsOf = ({
  source_json,
  attested_json,
  origin_json,
}: Pick<Selectable<Tables['versions']>, 'source_json' | 'attested_json' | 'origin_json'>) => ({
  ...(source_json !== null && { source: JSON.parse(source_json) as VersionSource }),
  ...(attested_json !== null && { attestation: JSON.parse(attested_json) as VersionAttestation }),
  ...(origin_json !== null && { origin: JSON.parse(origin_json) as KeptOrigin }),
});

/** The version of a row. */
export const versionOf = (row: Selectable<Tables['versions']>): VersionRecord => ({
  appId: row.app_id,
  version: row.version,
  publisher: row.publisher,
  state: row.state as VersionState,
  sha256: row.sha256,
  size: row.size,
  manifest: JSON.parse(row.manifest_json),
  readme: row.readme,
  changelog: row.changelog,
  files: JSON.parse(row.files_json),
  issues: JSON.parse(row.issues_json),
  reasons: JSON.parse(row.reasons_json),
  permissionDiff: row.permission_diff_json === null ? null : JSON.parse(row.permission_diff_json),
  notes: row.notes,
  retracted: row.retracted === 1,
  submittedAt: row.submitted_at,
  submittedBy: row.submitted_by,
  publishedAt: row.published_at,
  signature: row.signature,
  keyId: row.key_id,
  ...originsOf(row),
  ...firstApprovalOf(row),
  ...(row.awaits_confirmation === 1 && { awaitsConfirmation: true }),
});

/** The columns that a transition changes. */
export const columnsOf = ({
  reasons,
  permissionDiff,
  notes,
  retracted,
  publishedAt,
  signature,
  keyId,
  lease,
  withheld,
}: VersionChange) => ({
  ...(withheld && { withheld: flag(true) }),
  ...(reasons !== undefined && { reasons_json: JSON.stringify(reasons) }),
  ...(permissionDiff !== undefined && {
    permission_diff_json: permissionDiff && JSON.stringify(permissionDiff),
  }),
  ...(notes !== undefined && { notes }),
  ...(retracted !== undefined && { retracted: retracted ? (1 as const) : (0 as const) }),
  ...(publishedAt !== undefined && { published_at: publishedAt }),
  ...(signature !== undefined && { signature }),
  ...(keyId !== undefined && { key_id: keyId }),
  ...leaseColumns(lease ?? null),
});

/** The columns of a lease, or of none. */
export const leaseColumns = (lease: Lease | null) => ({
  lease_by: lease?.by ?? null,
  lease_until: lease?.until ?? null,
});

/** The bytes that a version takes: of its bundle, and of its pictures, also of those that other versions have too. */
export const storedBytes = ({ size, files }: Pick<Upload, 'size' | 'files'>): number =>
  files.reduce((total, file) => total + file.size, size);

/** The row of a new upload. */
export const rowOf = (upload: Upload) => ({
  app_id: upload.appId,
  version: upload.version,
  publisher: upload.publisher,
  state: 'submitted',
  sha256: upload.sha256,
  size: upload.size,
  manifest_json: JSON.stringify(upload.manifest),
  readme: upload.readme,
  changelog: upload.changelog,
  files_json: JSON.stringify(upload.files),
  issues_json: JSON.stringify(upload.issues),
  reasons_json: '[]',
  notes: '',
  submitted_at: upload.submittedAt,
  submitted_by: upload.submittedBy,
  awaits_confirmation: flag(upload.awaitsConfirmation === true),
  source_json: upload.source ? JSON.stringify(upload.source) : null,
  attested_json: upload.attestation ? JSON.stringify(upload.attestation) : null,
  attestation: upload.attestationText ?? null,
  origin_json: upload.origin ? JSON.stringify(upload.origin) : null,
  name: upload.manifest.name,
  superseded: 0 as const,
  retracted: 0 as const,
  stored_bytes: storedBytes(upload),
});
