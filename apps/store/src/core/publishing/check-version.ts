import type { KnownReviewReason, Publisher } from '@svc/contracts';
import { signedFootprintOf } from '@svc/permissions';
import { factsOf, signFacts } from '@svc/signing';
import { ApiError } from '../../platform/api-error.ts';
import { requireIntact } from '../../platform/blob-store.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import { UnavailableError } from '../../platform/unavailable-error.ts';
import { systemActor } from '../domain/audit/audit-log.ts';
import { needsTwo, type TwoPersonsPolicy } from '../domain/decisions/two-persons.ts';
import { listPublished } from '../domain/listings/list-in-catalog.ts';
import { missingRequirements } from '../domain/listings/store-warnings.ts';
import type { Parts, Stores } from '../domain/parts/parts.ts';
import { jobMover } from '../domain/versions/changes.ts';
import { stoppedBehind } from '../domain/versions/people-record.ts';
import {
  type LeaseDeps,
  leaseFrom,
  type VersionRecord,
  type VersionRef,
} from '../domain/versions/version-record.ts';
import { diffOfVersions } from '../domain/versions/version-status.ts';
import { type ReviewPolicy, routeReview } from './route-review.ts';
import type { SubmitStores } from './submit-version.ts';

export type SignDeps = Pick<Parts, 'blobs' | 'signingKey' | 'hooks' | 'clock' | 'log' | 'unitOfWork'>;

/** Only signing failed: the version can be approved now and signed later. */
export class SigningError extends Error {
  override readonly name = 'SigningError';
}

async function signAndList(
  { clock, signingKey, hooks }: Pick<SignDeps, 'clock' | 'signingKey' | 'hooks'>,
  stores: Stores,
  record: VersionRecord,
): Promise<VersionRecord> {
  const { appId, version, publisher, sha256 } = record;
  const publishedAt = clock().toISOString();
  const release = { appId, version, sha256, publishedAt };
  const signed = signFacts(factsOf(release, signedFootprintOf(record.manifest)), signingKey);
  const signer = systemActor('signer');
  const mover = jobMover('signer', publishedAt);
  const change = { ...signed, publishedAt };
  const moved = await stores.versions.move(record, { from: 'approved', to: 'published' }, change, mover);
  // Another process has already moved it.
  if (!moved) return (await stores.versions.find(record)) ?? record;
  const published = { ...record, ...change, state: 'published' } as const;
  await hooks.versionPublished(stores, record, mover);
  await listPublished(stores, published);
  const action = 'version.publish';
  const detail = { sha256, keyId: signed.keyId };
  await stores.audit.add(signer, publishedAt, { action, appId, version, publisher, detail });
  return published;
}

/**
 * Signs an approved version in the transaction that approved it, which publishes and lists it. Other versions are returned
 * unchanged.
 * @throws SigningError when signing fails, which rolls the transaction back; UnavailableError
 */
export async function signWithin(
  deps: Pick<SignDeps, 'clock' | 'signingKey' | 'hooks'>,
  stores: Stores,
  record: VersionRecord,
): Promise<VersionRecord> {
  if (record.state !== 'approved') return record;
  try {
    return await signAndList(deps, stores, record);
  } catch (error) {
    if (error instanceof UnavailableError) throw error;
    throw new SigningError('Signing failed.', { cause: error });
  }
}

export function reportUnsigned(
  { log }: Pick<SignDeps, 'log'>,
  { appId, version }: VersionRef,
  error: unknown,
) {
  log.error(
    { err: error, appId, version },
    'Signing failed; the version stays approved and will be retried.',
  );
}

/**
 * Signs an approved version, which publishes and lists it in the same transaction. When that fails, the version stays `approved` and
 * is signed later. Other versions are returned unchanged.
 * @returns the version in its new state
 */
export async function signVersion(deps: SignDeps, record: VersionRecord): Promise<VersionRecord> {
  if (record.state !== 'approved') return record;
  try {
    // Time has passed since the upload: the signature must not cover bytes that were replaced in the storage.
    await requireIntact(deps.blobs, record.sha256);
    return await deps.unitOfWork((stores) => signAndList(deps, stores, record));
  } catch (error) {
    reportUnsigned(deps, record, error);
    return record;
  }
}

export type CheckDeps = LeaseDeps &
  Pick<Parts, 'log'> & { unitOfWork: UnitOfWork<SubmitStores>; policy: ReviewPolicy & TwoPersonsPolicy };

/** The reason for a review when the policy demands two persons, of verified publishers and small updates too. */
const TWO_PERSONS: KnownReviewReason = 'flagged:two-persons';

const CONFIRMATION: KnownReviewReason = 'publisher-confirmation';

/** The reason for a review when the store stopped something of the people behind a version, also under another publisher. */
const PEOPLE_STOPPED: KnownReviewReason = 'flagged:people.stopped';

/** The reason for a review when the check itself failed: a moderator must look at the version. */
const CHECK_FAILED: KnownReviewReason = 'flagged:check.error';

async function latestOf({ versions }: SubmitStores, { appId }: VersionRecord): Promise<VersionRecord | null> {
  const version = await versions.latestPublished(appId);
  return version === null ? null : versions.find({ appId, version });
}

/** The workflows that uploaded and that built a version, as text to compare. */
const workflowsOf = ({ source, attestation }: Pick<VersionRecord, 'source' | 'attestation'>): string =>
  JSON.stringify([source, attestation].map((of) => of && [of.issuer, of.claims]));

/** Stands for a publisher that cannot be found. It is never trusted. */
const UNKNOWN_PUBLISHER = { slug: '', verified: false };

async function route(
  stores: SubmitStores,
  policy: ReviewPolicy & TwoPersonsPolicy,
  record: VersionRecord,
  publisher: Publisher | null,
) {
  const latest = await latestOf(stores, record);
  const diff = diffOfVersions(latest, record);
  // Checked again: a required app may have been yanked since the upload.
  const issues = [...record.issues, ...(await missingRequirements(stores, record.manifest))];
  const comesFromElsewhere = latest !== null && workflowsOf(latest) !== workflowsOf(record);
  const from = { comesFromElsewhere, origin: record.origin };
  const reasons = routeReview(diff, issues, publisher ?? UNKNOWN_PUBLISHER, policy, from);
  const stopped = (await stoppedBehind(stores, record)).length > 0 ? [PEOPLE_STOPPED] : [];
  const two = needsTwo(policy, record) ? [TWO_PERSONS] : [];
  return { permissionDiff: diff, reasons: [...reasons, ...stopped, ...two] };
}

/** Compares a version with the latest published one by now. */
export const routeAgain = async (stores: SubmitStores, policy: CheckDeps['policy'], record: VersionRecord) =>
  route(stores, policy, record, await stores.publishers.find(record.publisher));

/** Keeps a version that waits for a member of its publisher out of the queue of moderators. */
const waiting = <C extends { reasons: string[] }>({ awaitsConfirmation }: VersionRecord, change: C) =>
  awaitsConfirmation
    ? { ...change, reasons: [CONFIRMATION, ...change.reasons], withheld: true as const }
    : change;

/** Checks a version in state `checking`, in the transaction of its submission. Returns the changed version. */
export type Check = (deps: CheckDeps, stores: SubmitStores, record: VersionRecord) => Promise<VersionRecord>;

/**
 * Compares a version with the latest published one, and moves it to `approved`, or to `in_review` when there is a reason for a
 * review.
 */
const checkVersion: Check = async (deps, stores, record) => {
  const routed = await routeAgain(stores, deps.policy, record);
  const verdict = waiting(record, routed);
  const actor = jobMover('checker', deps.clock().toISOString());
  const state = verdict.reasons.length > 0 ? 'in_review' : 'approved';
  // The process that checked a version also signs it.
  const change = state === 'approved' ? { ...verdict, lease: leaseFrom(deps) } : verdict;
  await stores.versions.move(record, { from: 'checking', to: state }, change, actor);
  return { ...record, ...verdict, state };
};

const sendToReview: Check = async ({ clock }, { versions }, record) => {
  const actor = jobMover('checker', clock().toISOString());
  const change = waiting(record, { reasons: [CHECK_FAILED as string] });
  await versions.move(record, { from: 'checking', to: 'in_review' }, change, actor);
  return { ...record, reasons: change.reasons, state: 'in_review' };
};

/** Errors that are not faults of the check. */
const RETHROWN = [ApiError, UnavailableError, SigningError];

/**
 * Makes a check fail closed: a fault in it sends the version to review and never publishes it.
 * @param attempt moves the version to `checking` and checks it in one transaction, so that no version is visible without a result.
 *   It is called again when the check fails, as its transaction was rolled back
 * @throws ApiError of the attempt, SigningError and UnavailableError: the version is not changed
 */
export async function failClosed<T>(
  { log }: Pick<CheckDeps, 'log'>,
  { appId, version }: VersionRef,
  attempt: (check: Check) => Promise<T>,
): Promise<T> {
  try {
    return await attempt(checkVersion);
  } catch (error) {
    if (RETHROWN.some((kind) => error instanceof kind)) throw error;
    log.error({ err: error, appId, version }, 'The check failed; the version was sent to review.');
    return await attempt(sendToReview);
  }
}
