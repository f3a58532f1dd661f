import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { isBlobName } from '../../adapters/blob-name.ts';
import { renameDurably, writeDurably } from '../../adapters/disk/durable-file.ts';
import { CorruptBackupError, textOf } from './plain-file.ts';

/** The name of the record within a backup. It is written last: a folder without one holds no backup. */
export const RECORD = 'backup.json';

/** Raised when an older program could not read a backup any more. */
const FORMAT = 1;

/** Of a backup that lacks blobs, which an older program would take for a whole one. */
const INCOMPLETE_FORMAT = 2;

/** A million blobs take a third of it. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Something is named by its hash alone. No record can name a path. */
const Part = z.strictObject({
  sha256: z.string().refine(isBlobName, { error: 'is no hash' }),
  size: z.int().min(0),
});

const Contents = z.strictObject({
  format: z.union([z.literal(FORMAT), z.literal(INCOMPLETE_FORMAT)]),
  /** When the database was copied, ISO 8601 in UTC. */
  takenAt: z.iso.datetime(),
  /** The key that the store signed with. */
  keyId: z.string(),
  database: Part,
  /** The private key and the chain of public ones; null in a backup without keys. */
  keys: z.strictObject({ privateKey: Part, chain: Part }).nullable(),
  blobs: z.array(Part),
  /** Blobs that the database names and that could not be had whole. */
  missing: z.array(Part.shape.sha256).default([]),
});

/** What a backup holds. */
export type BackupRecord = Omit<z.infer<typeof Contents>, 'format'>;

/** A record as text. It ends in a hash of all the rest, so that no bit of it can change unseen. */
function render({ takenAt, keyId, database, keys, blobs, missing }: BackupRecord): string {
  const format = missing.length > 0 ? INCOMPLETE_FORMAT : FORMAT;
  const contents = { format, takenAt, keyId, database, keys, blobs, ...(missing.length > 0 && { missing }) };
  const seal = createHash('sha256').update(JSON.stringify(contents)).digest('hex');
  return `${JSON.stringify({ ...contents, seal }, null, 1)}\n`;
}

/**
 * Gives a backup its record, durably and at once: until then the folder holds the backup that it held before.
 * @param draft a name that nothing has yet, on the same disk
 */
export async function writeRecord(folder: string, draft: string, record: BackupRecord): Promise<void> {
  await writeDurably(draft, render(record));
  await renameDurably(draft, join(folder, RECORD));
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/**
 * Reads the record of a backup.
 * @throws CorruptBackupError when it is not exactly what was written, or comes from a newer program
 */
export async function readRecord(folder: string): Promise<BackupRecord> {
  const file = join(folder, RECORD);
  const text = await textOf(file, MAX_BYTES).catch((error: unknown) => {
    if (!(error instanceof CorruptBackupError)) throw error;
    throw new CorruptBackupError(`${folder} holds no finished backup: ${error.message}`);
  });
  const value = parsed(text);
  const { format } = z.object({ format: z.number() }).safeParse(value).data ?? {};
  if (format !== undefined && format > INCOMPLETE_FORMAT) {
    throw new CorruptBackupError(
      `${file} is of format ${format}, and this program knows ${INCOMPLETE_FORMAT}: use a newer one.`,
    );
  }
  const { data } = Contents.extend({ seal: z.string() }).safeParse(value);
  if (!data || render(data) !== text) throw new CorruptBackupError(`${file} is damaged.`);
  return data;
}
