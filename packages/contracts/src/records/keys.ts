import { z } from 'zod';
import { named } from '../named.ts';
import { KeyId, Sha256, Signature, Timestamp } from './common.ts';

/** The current public key of the store: verifies its signatures. */
export const PublicKey = named.object('PublicKey', {
  keyId: KeyId,
  publicKeyPem: z.string().describe('The key as SubjectPublicKeyInfo in PEM (RFC 8410).'),
});
export type PublicKey = z.infer<typeof PublicKey>;

/** A key of the store, current or retired, with the signature of its predecessor. */
export const StoreKey = named.strictObject('StoreKey', {
  keyId: KeyId,
  publicKeyPem: z.string().describe('The key as SubjectPublicKeyInfo in PEM (RFC 8410).'),
  createdAt: Timestamp,
  retiredAt: Timestamp.optional().describe('When the next key replaced it; absent for the current key.'),
  successorOf: KeyId.optional().describe('Id of the previous key; absent for the first key.'),
  signature: Signature.optional().describe(
    'Signature of the previous key over the canonical JSON (RFC 8785) of `at` (the value of `createdAt`), `keyId`, `publicKeyPem`, `since` (`createdAt` of the previous key) and `successorOf`.',
  ),
});
export type StoreKey = z.infer<typeof StoreKey>;

/** Bounds the work of checking a chain; far above the rotations of any store. */
const MAX_KEYS = 1_000;

/** All keys of the store. */
export const PublicKeys = named.object('PublicKeys', {
  keys: z.array(StoreKey).min(1).max(MAX_KEYS).describe('Oldest first; the last is the current key.'),
});
export type PublicKeys = z.infer<typeof PublicKeys>;

/** A yanked version. It must not be used any more. */
export const RevocationEntry = named.strictObject('RevocationEntry', {
  appId: z.string(),
  version: z.string(),
  reason: z.string(),
  at: Timestamp,
});
export type RevocationEntry = z.infer<typeof RevocationEntry>;

/** The signed list of yanked versions. */
export const RevocationList = named.strictObject('RevocationList', {
  entries: z.array(RevocationEntry).describe('Sorted by app id, version and time.'),
  signedAt: Timestamp,
  signature: Signature.describe('Signature over the canonical JSON (RFC 8785) of `entries` and `signedAt`.'),
});
export type RevocationList = z.infer<typeof RevocationList>;

/** Bounds the work of a client: far above the segments of any store. */
const MAX_SEGMENTS = 4_096;

/** Bounds the memory of a client. */
const MAX_SEGMENT_BYTES = 1024 * 1024;

/** Far above what a store leaves open. */
const MAX_OPEN = 1_024;

/** A part of the revocation list that never changes, by its content. */
export const RevocationSegment = named.strictObject('RevocationSegment', {
  sha256: Sha256.describe(
    'SHA-256 of the bytes of the segment, in lower-case hex. They are an array of `RevocationEntry` in JSON.',
  ),
  bytes: z.int().min(2).max(MAX_SEGMENT_BYTES).describe('Size of the segment without a content coding.'),
});
export type RevocationSegment = z.infer<typeof RevocationSegment>;

/** The segment in a path. */
export const SegmentParam = z.object({
  sha256: z.string().describe('SHA-256 of the segment, in lower-case hex.'),
});

/** The signed revocation list in parts: a client fetches those that it does not have. */
export const RevocationHead = named.strictObject('RevocationHead', {
  list: Sha256.describe(
    'SHA-256 of the canonical JSON (RFC 8785) of all entries, of the segments and of `open`, sorted by app id, version and time, by code unit: of `entries` of the whole list.',
  ),
  segments: z.array(RevocationSegment).max(MAX_SEGMENTS),
  open: z.array(RevocationEntry).max(MAX_OPEN).describe('The entries that are in no segment yet.'),
  signedAt: Timestamp.describe('That of the whole list.'),
  signature: Signature.describe(
    'Signature of the current key over the canonical JSON (RFC 8785) of `list`, `open`, `segments` and `signedAt`.',
  ),
});
export type RevocationHead = z.infer<typeof RevocationHead>;

/** A published or yanked version of an app. */
export const HeadVersion = named.strictObject('HeadVersion', {
  version: z.string(),
  sha256: Sha256,
  state: z.enum(['published', 'yanked']),
});
export type HeadVersion = z.infer<typeof HeadVersion>;

/** Bounds the work of a client; far above the versions of any app. */
const MAX_VERSIONS = 20_000;

/** The signed statement of the latest version of an app, and of all of them. */
export const HeadStatement = named.strictObject('HeadStatement', {
  appId: z.string(),
  latest: z.string().describe('The latest published version.'),
  versions: Sha256.describe(
    'SHA-256 of the canonical JSON (RFC 8785) of the published and yanked versions: `version`, `sha256`, `state`, sorted by version by code unit.',
  ),
  signedAt: Timestamp.describe('At most an hour ago.'),
  signature: Signature.describe(
    'Signature of the current key over the canonical JSON (RFC 8785) of `appId`, `latest`, `signedAt` and `versions`.',
  ),
  keyId: KeyId,
});
export type HeadStatement = z.infer<typeof HeadStatement>;

/** The signed statement of the content of a file that the store serves. */
export const FileStatement = named.strictObject('FileStatement', {
  file: z.string().describe('Name of the file.'),
  sha256: Sha256.describe('SHA-256 of the file, in lower-case hex.'),
  signedAt: Timestamp,
  signature: Signature.describe(
    'Signature of the current key over the canonical JSON (RFC 8785) of `file`, `sha256` and `signedAt`.',
  ),
  keyId: KeyId,
});
export type FileStatement = z.infer<typeof FileStatement>;

/** A size of the log of a store, in decimal. */
export const LogSize = z.string().regex(/^(0|[1-9]\d{0,15})$/);

/** The proof that a version is in the log, and that the log continues the one that the client knows. */
export const LogProof = named.object('LogProof', {
  proof: z.string().describe('The proof of inclusion with its checkpoint (c2sp.org/tlog-proof).'),
  consistency: z
    .array(z.string())
    .max(63)
    .describe(
      'The proof of consistency from the size that the client knows to the checkpoint, in base64 (RFC 6962, 2.1.2).',
    ),
});
export type LogProof = z.infer<typeof LogProof>;

/** Query of the statement. */
export const AppHeadQuery = z.object({
  list: z.literal('1').optional().describe('`1` adds the versions whose hash is `versions`.'),
  log: LogSize.optional().describe(
    'Adds the proof that a version is in the log: the size of the last checkpoint that the client accepted, or `0`.',
  ),
  version: z.string().max(256).optional().describe('The version to prove; the latest one by default.'),
});

/** The statement, with its versions on request. */
export const AppHead = named.strictObject('AppHead', {
  ...HeadStatement.shape,
  list: z
    .array(HeadVersion)
    .max(MAX_VERSIONS)
    .optional()
    .describe('With `list=1`: what `versions` is the hash of.'),
  log: LogProof.optional().describe(
    'With `log`, in a store with a log: the proof of the version. Absent for a version that the log does not have.',
  ),
});
export type AppHead = z.infer<typeof AppHead>;
