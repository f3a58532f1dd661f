import { LIMITS, type PublishResult } from '@svc/contracts';
import type { UnitOfWork } from '../platform/ambient.ts';
import { Refusal } from '../platform/refusal.ts';
import type { Caller } from '../tokens/caller.ts';
import { admitBundle, type BundleInspector } from './admit-bundle.ts';
import type { BlobStore, StagedBlob } from './blob-store.ts';
import { type CheckDeps, checkVersion } from './check-version.ts';
import type { Candidate } from './inspect-bundle.ts';
import { missingRequirements } from './missing-requirements.ts';
import { type SignDeps, signVersion } from './sign-version.ts';
import { requireSubmittable, type SubmitStores, submitVersion } from './submit-version.ts';
import { permissionDiffOf } from './version-status.ts';
import type { PublicFile, Upload, VersionRecord, VersionRef, VersionStore } from './version-store.ts';

export type PublishDeps = CheckDeps &
  Omit<SignDeps, 'unitOfWork'> & {
    stores: SubmitStores;
    versions: VersionStore;
    unitOfWork: UnitOfWork<SubmitStores> & SignDeps['unitOfWork'];
    blobs: BlobStore;
    inspector: BundleInspector;
    /** Address where a version's fate can be followed. */
    statusUrl(ref: VersionRef): string;
  };

/** The refusal of an upload that is over the limit, whether it says so itself or turns out to be. */
export const tooLarge = (): Refusal =>
  new Refusal(
    'bundle_too_large',
    `The bundle is over ${LIMITS.bundle.bytes} bytes (25 MiB): make it smaller.`,
  );

/** Takes the upload in, off memory. */
async function receiveBundle(blobs: BlobStore, body: AsyncIterable<Uint8Array> | null): Promise<StagedBlob> {
  const staged = body && (await blobs.stage(body, LIMITS.bundle.bytes));
  if (body && !staged) {
    throw tooLarge();
  }
  if (!staged || staged.size === 0) {
    await staged?.discard();
    throw new Refusal(
      'empty_body',
      'There is no bundle in the body: send the zip itself as application/zip.',
    );
  }
  return staged;
}

/** Makes the zip and its pictures durable. They must be there before a row speaks of them. */
async function keepBytes(blobs: BlobStore, staged: StagedBlob, candidate: Candidate): Promise<PublicFile[]> {
  const keepPicture = async ({ path, type, bytes }: Candidate['pictures'][number]): Promise<PublicFile> => ({
    path,
    type,
    sha256: await blobs.put(bytes),
    size: bytes.byteLength,
  });
  const [, ...files] = await Promise.all([staged.keep(), ...candidate.pictures.map(keepPicture)]);
  return files;
}

const uploadOf = (
  { manifest, readme, changelog }: Candidate,
  { sha256, size }: StagedBlob,
  submission: Pick<Upload, 'files' | 'issues' | 'submittedAt' | 'submittedBy'>,
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

/** What cannot be removed is removed at the next start; the answer to the upload is another matter. */
const forget = (deps: PublishDeps, staged: StagedBlob): Promise<void> =>
  staged.discard().catch((error: unknown) => {
    deps.log.warn({ err: error }, 'An upload on its way in could not be removed.');
  });

/**
 * Publishes a bundle: takes it in, checks it, keeps it, puts it on record, and either signs it or leaves it to a person.
 * When this resolves, bytes and row survive a power cut; when it rejects, the version was not taken.
 * @param body the zip as it arrives; null when the request has none
 * @throws Refusal with the codes of the publish route
 */
export async function publish(
  deps: PublishDeps,
  caller: Caller,
  body: AsyncIterable<Uint8Array> | null,
): Promise<PublishResult> {
  const staged = await receiveBundle(deps.blobs, body);
  try {
    const candidate = await admitBundle(deps.inspector, staged.file);
    await requireSubmittable(deps.stores, caller, candidate.manifest);
    const files = await keepBytes(deps.blobs, staged, candidate);
    const issues = [...candidate.issues, ...(await missingRequirements(deps.stores, candidate.manifest))];
    const submission = { files, issues, submittedAt: deps.clock().toISOString(), submittedBy: caller.name };
    const upload = uploadOf(candidate, staged, submission);
    await checkVersion(deps, upload, (stores) => submitVersion(deps, stores, caller, upload));
    await signVersion(deps, upload);
    const record = await deps.versions.find(upload);
    if (!record) throw new Error('A version vanished while it was being published.');
    return resultOf(deps, record);
  } finally {
    await forget(deps, staged);
  }
}
