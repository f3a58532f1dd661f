import type { Issue, Manifest, PublishResult } from '@svc/contracts';
import { count } from '@svc/text/quantity';
import { validateManifest } from '@svc/validator';
import { ApiError } from '../../platform/api-error.ts';
import type { BlobStore, StagedBlob } from '../../platform/blob-store.ts';
import type { Requester } from '../../platform/gate.ts';
import { networkOf } from '../../platform/network-of.ts';
import type { OverrunError } from '../../platform/overrun-error.ts';
import type { Caller } from '../domain/identity/caller.ts';
import { missingRequirements, withLookAlikes } from '../domain/listings/store-warnings.ts';
import type { Parts } from '../domain/parts/parts.ts';
import type { Candidate } from '../domain/versions/inspect-bundle.ts';
import { requireRoom, type StoragePolicy } from '../domain/versions/publisher-storage.ts';
import type { PublicFile, Upload, VersionRecord, VersionRef } from '../domain/versions/version-record.ts';
import { permissionDiffOf } from '../domain/versions/version-status.ts';
import type { Rasters } from '../pictures/rasters.ts';
import type { Sites } from '../publishers/site.ts';
import type { Attest, Built } from './attest.ts';
import { failClosed, reportUnsigned, SigningError, signWithin } from './check-version.ts';
import type { ConfirmDeps } from './confirm-version.ts';
import type { InspectionQueues, SpooledUpload } from './inspection-queues.ts';
import type { Intake } from './intake.ts';
import { type Claim, requireSubmittable, type SubmitStores, submitVersion } from './submit-version.ts';

function refusalOf(code: 'invalid_bundle' | 'validation_failed', issues: Issue[]): ApiError {
  if (code === 'invalid_bundle') {
    return new ApiError(code, 'The body is not a valid bundle: see issues, and pack it again.', {
      issues,
    });
  }
  const errors = issues.filter(({ level }) => level === 'error').length;
  return new ApiError(code, `The store checks found ${count(errors, 'error')}: see issues.`, { issues });
}

/**
 * Checks an uploaded bundle. Permission to publish is checked before anything but the manifest is read.
 * @param requireAllowed refuses what the uploader may not publish
 * @throws ApiError invalid_bundle when readers would disagree on the zip, validation_failed when a check found an error;
 *   the errors of `requireAllowed`; OverrunError when the checks took too much time or memory
 */
export async function admitBundle(
  queues: InspectionQueues,
  sent: SpooledUpload,
  requireAllowed: (claim: Claim) => Promise<unknown>,
): Promise<Candidate> {
  const opening = await queues.open(sent);
  if (opening.is === 'refused') throw refusalOf(opening.code, opening.issues);
  await requireAllowed(opening.claim);
  const inspection = await queues.inspect(sent, opening.costMs);
  if (inspection.ok) return inspection.candidate;
  throw refusalOf(inspection.code, inspection.issues);
}

const seconds = (ms: number | null): string => count(Math.round((ms ?? 0) / 1000), 'second');

/** The issue for a developer whose bundle exceeded the limits of the checks. */
function overrunIssue({ what, limitMs }: OverrunError): Issue {
  const level = 'error' as const;
  if (what === 'memory') {
    const message = 'Checking the bundle exceeded the memory limit: make the bundle smaller.';
    return { code: 'check.memory', level, path: '', message };
  }
  const [path, subject, advice] =
    what === 'pictures'
      ? ['/branding', 'the manifest and the pictures it names', 'make the pictures simpler']
      : ['', 'the bundle', 'make it smaller, especially its scripts'];
  const message = `Checking ${subject} took longer than ${seconds(limitMs)}: ${advice}.`;
  return { code: 'check.timeout', level, path, message };
}

/** The refusal of a bundle that exceeded the limits of the checks. */
export function overrunRefusal(overrun: OverrunError): ApiError {
  const issues = [overrunIssue(overrun)];
  return new ApiError(
    'validation_failed',
    'The checks exceeded their time or memory limit: see issues. This upload counts as several.',
    { issues },
  );
}

export type PublishDeps = ConfirmDeps &
  Pick<Parts, 'blobs' | 'hooks' | 'newId'> & {
    stores: SubmitStores;
    policy: StoragePolicy;
    /** Draws icon and mark before the bundle is accepted. */
    rasters: Pick<Rasters, 'requireDrawable'>;
    sites: Pick<Sites, 'isPrivate'>;
    attest: Attest;
    /** The URL of the status page of a version. */
    statusUrl(ref: VersionRef): string;
  };

/** Stores the zip and its pictures durably, before a row refers to them. */
async function storeBytes(
  blobs: BlobStore,
  staged: StagedBlob,
  candidate: Candidate,
  look: string | null,
): Promise<PublicFile[]> {
  const { icon } = candidate.manifest.branding;
  const storePicture = async ({ bytes, ...picture }: Candidate['pictures'][number]): Promise<PublicFile> => ({
    ...picture,
    ...(look !== null && picture.path === icon && { look }),
    sha256: await blobs.put(bytes),
    size: bytes.byteLength,
  });
  const [, ...files] = await Promise.all([staged.keep(), ...candidate.pictures.map(storePicture)]);
  return files;
}

const uploadOf = (
  { manifest, readme, changelog }: Candidate,
  { sha256, size }: StagedBlob,
  submission: Pick<
    Upload,
    | 'files'
    | 'issues'
    | 'submittedAt'
    | 'submittedBy'
    | 'source'
    | 'awaitsConfirmation'
    | 'origin'
    | keyof Built
  >,
): Upload => ({
  appId: manifest.id,
  version: manifest.version,
  publisher: manifest.publisher,
  sha256,
  size,
  manifest,
  readme,
  changelog,
  ...submission,
});

const resultOf = (deps: PublishDeps, record: VersionRecord): PublishResult => ({
  appId: record.appId,
  version: record.version,
  status: record.state,
  reasons: record.reasons,
  issues: record.issues,
  permissionDiff: permissionDiffOf(record),
  reviewUrl: deps.statusUrl(record),
});

/** Deletes the spooled file. Files that cannot be deleted now are deleted at the next start. A failure here does not fail the upload. */
export const discard = (deps: Pick<PublishDeps, 'log'>, staged: StagedBlob): Promise<void> =>
  staged.discard().catch((error: unknown) => {
    deps.log.warn({ err: error }, 'The spooled file of an upload could not be deleted.');
  });

const requesterOf = ({ name, kind, from }: Caller): Requester => ({
  account: name,
  network: networkOf(from.address),
  trusted: kind === 'automation',
});

/** The warning about a server that has a private address, which most clients refuse. */
async function privateServer({ sites }: Pick<PublishDeps, 'sites'>, manifest: Manifest): Promise<Issue[]> {
  const { hostname } = new URL(manifest.remote.mcpUrl);
  if (!(await sites.isPrivate(hostname))) return [];
  const found = validateManifest(manifest, { mode: 'store', privateHosts: [hostname] });
  return found.filter(({ code }) => code === 'remote.private');
}

/** A bundle that the checks accepted, and the look of its icon. */
export type Accepted = { staged: StagedBlob; candidate: Candidate; iconLook: string | null };

/**
 * Stores an accepted bundle, submits its version, and signs it or sends it to review, in one transaction. When only signing fails,
 * the version is accepted and signed later.
 * @param submission what is known of the version beside its bundle
 * @param submit checks that the version may be submitted, and moves it to `checking`
 */
export async function recordVersion(
  deps: PublishDeps,
  { staged, candidate, iconLook }: Accepted,
  submission: Omit<Parameters<typeof uploadOf>[2], 'files' | 'issues' | 'submittedAt'> & {
    publisher: string;
  },
  submit: (stores: SubmitStores, upload: Upload) => Promise<VersionRecord>,
): Promise<PublishResult> {
  const { manifest } = candidate;
  const face = { ...manifest, publisher: submission.publisher, iconLook };
  // At once: the disk, the database and the resolver of names do not wait for each other.
  const [files, ...issues] = await Promise.all([
    storeBytes(deps.blobs, staged, candidate, iconLook),
    withLookAlikes(deps.stores, face, candidate.issues),
    missingRequirements(deps.stores, manifest),
    privateServer(deps, manifest),
  ]);
  const submittedAt = deps.clock().toISOString();
  const upload = uploadOf(candidate, staged, { files, issues: issues.flat(), submittedAt, ...submission });
  const finish = (sign: typeof signWithin | null) =>
    failClosed(deps, upload, (check) =>
      deps.unitOfWork(async (stores) => {
        const checked = await check(deps, stores, await submit(stores, upload));
        return sign === null ? checked : sign(deps, stores, checked);
      }),
    );
  const finished = await finish(signWithin).catch((error: unknown) => {
    if (!(error instanceof SigningError)) throw error;
    reportUnsigned(deps, upload, error);
    return finish(null);
  });
  return resultOf(deps, finished);
}

/**
 * Publishes a bundle: spools it, checks that the caller may publish it, inspects it and records it. When this resolves, bytes and row
 * survive a power failure; when it rejects, the version was not accepted.
 * @param body the zip as a stream; null when the request has no body
 * @param confirm whether the version waits until a member of its publisher confirms it; its app and the policy may demand it too
 * @param attestation how many bytes of an attestation the body begins with
 * @throws ApiError with the codes of the publish route; OverrunError when the inspection exceeded its limits
 */
export async function publish(
  deps: PublishDeps & { intake: Intake },
  caller: Caller,
  body: AsyncIterable<Uint8Array> | null,
  { confirm = false, attestation = 0 }: { confirm?: boolean; attestation?: number } = {},
): Promise<PublishResult> {
  const requester = requesterOf(caller);
  return deps.intake.receive(deps.blobs, body, requester, attestation, async ({ staged, head }) => {
    try {
      const candidate = await admitBundle(deps.intake.queues, { ...staged, requester }, async (claim) => {
        await requireSubmittable(deps, deps.stores, caller, claim);
        await requireRoom(deps.policy, deps.stores, claim.publisher, staged.size);
        // The bundle is written to disk during the inspection, but only if the caller may publish it.
        staged.prepare();
      });
      const iconLook = await deps.rasters.requireDrawable(candidate, requester);
      const built = attestation > 0 ? await deps.attest(head, staged.sha256) : {};
      const submission = {
        ...{ publisher: candidate.manifest.publisher, submittedBy: caller.name },
        ...(caller.kind === 'token' && caller.source && { source: caller.source }),
        ...built,
        ...(confirm && { awaitsConfirmation: true as const }),
      };
      return await recordVersion(deps, { staged, candidate, iconLook }, submission, (stores, upload) =>
        submitVersion(deps, stores, caller, upload),
      );
    } finally {
      await discard(deps, staged);
    }
  });
}
