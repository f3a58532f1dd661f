import { z } from 'zod';
import { Sha256 } from './common.ts';
import { FileStatement, PublicKeys } from './keys.ts';

/** The file that says what is in a mirror: the only one whose content changes. */
export const MIRROR_FILE = 'mirror.json';

/** Mirrors of a store at most, as a client knows them. */
export const MAX_MIRRORS = 10;

/** Most parts of one kind: the index with all their names has 300 kB. */
const MAX_PARTS = 2_048;

const Parts = z.array(Sha256).min(1).max(MAX_PARTS);

/** The content of `mirror.json`: the signed name of the index, and the keys with which to verify it. */
export const MirrorRoot = z.object({
  format: z.literal(1),
  ...PublicKeys.shape,
  /** Its time is when the mirror began to read the store: nothing in it is older. */
  index: FileStatement,
});
export type MirrorRoot = z.infer<typeof MirrorRoot>;

/** An answer of the store. Its body is a text, or the file with that hash, which is named by its kind. */
export const MirrorAnswer = z.object({
  status: z.union([z.literal(200), z.literal(404)]),
  headers: z.record(z.string(), z.string()),
  body: z.union([
    z.object({ text: z.string() }),
    z.object({ sha256: Sha256, kind: z.enum(['json', 'zip', 'png', 'webp']) }),
  ]),
});
export type MirrorAnswer = z.infer<typeof MirrorAnswer>;

/** Answers by path and query. */
const Answers = z.record(z.string(), MirrorAnswer);

/** What is in a mirror. Each hash names a file of the mirror. */
export const MirrorIndex = z.object({
  store: z.string().describe('Address of the store.'),
  answers: Answers.describe('Those that are about no app.'),
  entries: Parts.describe('The parts of the catalogue.'),
  apps: Parts.describe('The answers about apps, in parts.'),
  deprecations: Sha256.describe('What the store says of apps that should not be used any more.'),
  log: Sha256.nullable().describe('The log of the store; null when it has none.'),
});
export type MirrorIndex = z.infer<typeof MirrorIndex>;

/** A part of the answers about apps. */
export const MirrorApps = z.object({
  answers: Answers,
  /** Where the log has a version, by app id and version with a space between. */
  logged: z.record(
    z.string(),
    z.object({ index: z.int().min(0), extra: z.string().nullable().describe('In base64.') }),
  ),
});
export type MirrorApps = z.infer<typeof MirrorApps>;

/** The log of a store: its checkpoint, and the files of its tiles of hashes by their paths. */
export const MirrorLog = z.object({ checkpoint: z.string(), tiles: z.record(z.string(), Sha256) });
export type MirrorLog = z.infer<typeof MirrorLog>;
