import { z } from 'zod';
import { named } from '../named.ts';
import { KeyId, Sha256, Signature, Timestamp } from './common.ts';
import { SignedFacts } from './footprint.ts';
import { LogSize, StoreKey } from './keys.ts';

/** A person who decided: a keyed hash of their id, whose key only the store has. The same person has the same hash. */
const By = z
  .array(z.string().regex(/^[0-9a-f]{32}$/))
  .max(2)
  .describe('Keyed hashes of the moderators who decided; none for a decision of the store itself.');

const Version = { appId: z.string(), version: z.string() };

/** A version was published. Its facts are those that are signed. */
const Published = z.strictObject({
  kind: z.literal('published'),
  publisher: z.string(),
  facts: SignedFacts.optional(),
  factsSha256: Sha256.optional().describe(
    'Instead of facts of over 32 KiB: the SHA-256 of their canonical JSON.',
  ),
  ...Version,
  signature: Signature,
  keyId: KeyId,
  by: By,
});

/** A version was yanked. */
const Yanked = z.strictObject({
  kind: z.literal('yanked'),
  ...Version,
  at: Timestamp,
  reasonSha256: Sha256.describe('SHA-256 of the reason, which the revocation list has.'),
  by: By,
});

/** A yank was undone: the version is published again. */
const Undone = z.strictObject({ kind: z.literal('undone'), ...Version, at: Timestamp, by: By });

/** The store has a new key. */
const KeyAdded = z.strictObject({ kind: z.literal('key-added'), key: StoreKey.omit({ retiredAt: true }) });

/** A key of the store is no longer the current one. */
const KeyRetired = z.strictObject({ kind: z.literal('key-retired'), keyId: KeyId, at: Timestamp });

/** A publisher is verified, by its website or by an administrator. */
const PublisherVerified = z.strictObject({
  kind: z.literal('publisher-verified'),
  publisher: z.string(),
  host: z.string().optional().describe('The host of the website that was verified.'),
});

const PublisherUnverified = z.strictObject({
  kind: z.literal('publisher-unverified'),
  publisher: z.string(),
});

/** The record of the tools of a version's server was accepted. */
const ToolsRecorded = z.strictObject({
  kind: z.literal('tools-recorded'),
  ...Version,
  recordedAt: Timestamp,
  toolsSha256: Sha256.describe('SHA-256 of the canonical JSON of `tools` of the record.'),
});

/**
 * The database of the store was replaced by an older copy, and the log went on: of the entries before this one, some are of acts that the
 * database has lost.
 */
const Restored = z.strictObject({
  kind: z.literal('restored'),
  at: Timestamp,
  from: z.int().nonnegative().describe('Index of the first entry that the database had lost.'),
  to: z.int().nonnegative().describe('Index after the last one.'),
});

/** One act that changes what clients trust. An entry of the log is its canonical JSON (RFC 8785). */
export const LogEntry = z.discriminatedUnion('kind', [
  Published,
  Yanked,
  Undone,
  KeyAdded,
  KeyRetired,
  PublisherVerified,
  PublisherUnverified,
  ToolsRecorded,
  Restored,
]);
export type LogEntry = z.infer<typeof LogEntry>;
export type PublishedEntry = z.infer<typeof Published>;

/** What a client cannot compute of the entry of a version: the `extra` line of its proof, as canonical JSON. */
export const PublishedExtra = z.strictObject({ publisher: z.string(), by: By });
export type PublishedExtra = z.infer<typeof PublishedExtra>;

/**
 * What a proof that is kept has beside a bundle: with both and the keys of the store, a version is verified without a network. It is the
 * `extra` line of the file, as canonical JSON.
 */
export const VersionProofExtra = PublishedExtra.extend({
  publishedAt: Timestamp,
  signature: Signature,
  keyId: KeyId,
});
export type VersionProofExtra = z.infer<typeof VersionProofExtra>;

/** Query of the proof of a version. */
export const LogProofQuery = z.object({
  since: LogSize.optional().describe('Size of the last checkpoint that the client accepted.'),
});

/** What the store says of a checkpoint that was sent to it. */
export const LogComparison = named.object('LogComparison', {
  verdict: z
    .enum(['consistent', 'ahead', 'fork'])
    .describe(
      '`ahead`: the log of the store is shorter than the checkpoint that it signed, as after a restored backup. `fork`: it has another history.',
    ),
  size: z.int().describe('Size of the checkpoint of the store.'),
});
export type LogComparison = z.infer<typeof LogComparison>;

/** A checkpoint that a client, a witness or a monitor has. */
export const CheckpointQuery = z.object({
  checkpoint: z.string().max(8_192).describe('The checkpoint as a signed note.'),
});
