import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { isBlobName } from '../../../adapters/blob-name.ts';
import { renameDurably, writeDurably } from '../../../adapters/disk/durable-file.ts';
import { CorruptBackupError, textOf } from './plain-file.ts';

/** The name of the record within a backup. It is written last: a folder without one holds no backup. */
export const RECORD = 'backup.json';

/** Increased when an older program can no longer read a backup. */
const FORMAT = 1;

/** The format of a backup that lacks blobs. An older program would treat it as complete. */
const INCOMPLETE_FORMAT = 2;

/** Maximum bytes of a record. A million blobs need a third of it. */
const MAX_BYTES = 256 * 1024 * 1024;

/** A file of the backup, named by its hash. A record cannot contain a path. */
const Part = z.strictObject({
  sha256: z.string().refine(isBlobName, { error: 'is not a hash' }),
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
  /** Blobs that the database refers to, and of which there was no intact copy. */
  missing: z.array(Part.shape.sha256).default([]),
});

export type BackupRecord = Omit<z.infer<typeof Contents>, 'format'>;

/** Formats a record as text. It ends in a hash of all the rest, which detects any change. */
function render({ takenAt, keyId, database, keys, blobs, missing }: BackupRecord): string {
  const format = missing.length > 0 ? INCOMPLETE_FORMAT : FORMAT;
  const contents = { format, takenAt, keyId, database, keys, blobs, ...(missing.length > 0 && { missing }) };
  const seal = createHash('sha256').update(JSON.stringify(contents)).digest('hex');
  return `${JSON.stringify({ ...contents, seal }, null, 1)}\n`;
}

/**
 * Writes the record of a backup, durably and atomically: until then the folder contains the previous backup.
 * @param draft a path that does not exist yet, on the same disk
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
 * @throws CorruptBackupError when it was changed after it was written, or comes from a newer program
 */
export async function readRecord(folder: string): Promise<BackupRecord> {
  const file = join(folder, RECORD);
  const text = await textOf(file, MAX_BYTES).catch((error: unknown) => {
    if (!(error instanceof CorruptBackupError)) throw error;
    throw new CorruptBackupError(`${folder} contains no finished backup: ${error.message}`);
  });
  const value = parsed(text);
  const { format } = z.object({ format: z.number() }).safeParse(value).data ?? {};
  if (format !== undefined && format > INCOMPLETE_FORMAT) {
    throw new CorruptBackupError(
      `${file} has format ${format}, and this program supports up to ${INCOMPLETE_FORMAT}: use a newer version of svc-store.`,
    );
  }
  const { data } = Contents.extend({ seal: z.string() }).safeParse(value);
  if (!data || render(data) !== text) throw new CorruptBackupError(`${file} is damaged.`);
  return data;
}
