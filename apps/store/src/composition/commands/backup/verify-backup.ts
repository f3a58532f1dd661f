import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { makePrivateFolder } from '@svc/bundle/private-files';
import { sql } from 'kysely';
import { openSqlite } from '../../../adapters/sqlite/open-sqlite.ts';
import { type BackupCheck, lastBackupCheck } from '../../../core/operations/backup-check.ts';
import { openBlobs, type System } from '../../open-data.ts';
import type { Settings } from '../../settings.ts';
import { type Command, CommandError } from '../command.ts';
import { verifyVersions } from '../migrate/verify-versions.ts';
import { referencedBlobs } from './database-copy.ts';
import { CorruptBackupError, copyVerified } from './plain-file.ts';
import type { BackupRecord } from './record.ts';
import { checkBackup } from './restore-backup.ts';
import { partIn } from './take-backup.ts';

/** Restores the database of a backup into a throw-away one, and verifies every version there. @returns how many there are */
async function tryDatabase(folder: string, record: BackupRecord, file: string): Promise<number> {
  await copyVerified(partIn(folder, record.database), file, record.database);
  const held = new Set(record.blobs.map(({ sha256 }) => sha256));
  const lost = (await referencedBlobs(file)).find((sha256) => !held.has(sha256));
  if (lost !== undefined)
    throw new CorruptBackupError(`The backup lacks the blob ${lost}, to which its database refers.`);
  const db = openSqlite(file);
  try {
    const { rows } = await sql`pragma foreign_key_check`.execute(db);
    if (rows.length > 0)
      throw new CorruptBackupError(`${rows.length} rows refer to others that are missing.`);
    return await verifyVersions(db, held);
  } finally {
    await db.destroy();
  }
}

/**
 * Restores a backup as far as that is possible without a store: every byte is read, the database is opened and brought to the tables of this
 * program, and every version is verified as a client does it.
 * @returns the record of the backup, and how many signed versions verify
 * @throws Error, or CorruptBackupError for a backup that could not be restored
 */
async function verifyBackup(folder: string): Promise<{ record: BackupRecord; versions: number }> {
  const record = await checkBackup(folder);
  const place = join(tmpdir(), `svc-verify-${randomUUID()}`);
  makePrivateFolder(place);
  try {
    return { record, versions: await tryDatabase(folder, record, join(place, 'store.sqlite')) };
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** Tells the store, whose metrics and *Health* show it. @returns a sentence when that failed */
async function tell(settings: Settings, { newId }: System, check: BackupCheck): Promise<string> {
  const none = ' No store is here to show it in its metrics.';
  if (settings.s3 === null && !existsSync(settings.dataDir)) return none;
  try {
    const blobs = await openBlobs(settings, newId);
    if ((await blobs.owner()) === null) return none;
    // The age of the last good backup goes on after a bad one.
    const takenAt = check.takenAt ?? (await lastBackupCheck(blobs))?.takenAt ?? null;
    await blobs.keepRecord('backup', JSON.stringify({ ...check, takenAt }));
    return '';
  } catch (error) {
    return ` The store was not note: ${(error as Error).message.split('\n')[0]}`;
  }
}

/** `svc-store backup verify FOLDER` */
export const backupVerifyCommand: Command = {
  name: 'backup verify',
  operands: ['FOLDER'],
  options: {},
  summary:
    'restore a backup into a throw-away database, verify every version of it as clients do, and tell the store, whose metrics show the age of the last good backup',
  async run({ operands }, settings, system) {
    const folder = resolve(operands[0] as string);
    const checkedAt = system.clock().toISOString();
    const failed = async (why: string): Promise<never> => {
      const note = await tell(settings, system, { takenAt: null, checkedAt, fault: why });
      throw new CommandError(`The backup cannot be used: ${why}${note}`);
    };
    const { record, versions } = await verifyBackup(folder).catch((error: Error) =>
      failed(error.message.split('\n')[0] ?? ''),
    );
    if (record.missing.length > 0)
      return failed(`The backup in ${folder} is incomplete: it lacks ${record.missing.length} blobs.`);
    const note = await tell(settings, system, { takenAt: record.takenAt, checkedAt, fault: null });
    return `The backup in ${folder} can be restored: the store at ${record.takenAt}, with ${versions} signed versions that verify and ${record.blobs.length} blobs.${note}`;
  },
};
