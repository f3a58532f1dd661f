import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFile,
  cp,
  mkdtemp,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { checkBackup, restoreBackup } from '../../../../src/composition/commands/backup/restore-backup.ts';
import { blobIn, partIn } from '../../../../src/composition/commands/backup/take-backup.ts';
import { backedUp, depsOf, everythingIn, tempFolder } from '../../../support/backup.ts';

const newDataDir = async () => join(await tempFolder(), 'data');

async function flip(file: string, at: number): Promise<void> {
  const bytes = await readFile(file);
  bytes[at] = (bytes[at] as number) ^ 1;
  await writeFile(file, bytes);
}

/** Changes a record and its checksum, like an attacker. */
async function forge(folder: string, change: (contents: Record<string, unknown>) => object): Promise<void> {
  const file = join(folder, 'backup.json');
  const { seal: _old, ...contents } = JSON.parse(await readFile(file, 'utf8'));
  const changed = { ...contents, ...change(contents) };
  const seal = createHash('sha256').update(JSON.stringify(changed)).digest('hex');
  await writeFile(file, `${JSON.stringify({ ...changed, seal }, null, 1)}\n`);
}

type Harm = (folder: string, held: Awaited<ReturnType<typeof checkBackup>>) => Promise<unknown>;
const blobOf: (...given: Parameters<Harm>) => string = (folder, { blobs }) =>
  blobIn(folder, blobs.reduce((most, blob) => (blob.size > most.size ? blob : most)).sha256);
const databaseOf: (...given: Parameters<Harm>) => string = (folder, { database }) => partIn(folder, database);
const keyOf: (...given: Parameters<Harm>) => string = (folder, { keys }) =>
  partIn(folder, keys?.privateKey as { sha256: string; size: number });
const chainOf: (...given: Parameters<Harm>) => string = (folder, { keys }) =>
  partIn(folder, keys?.chain as { sha256: string; size: number });
const recordOf = (folder: string) => join(folder, 'backup.json');

/** Every kind of file in a backup. */
const FILES = [blobOf, databaseOf, keyOf, chainOf, recordOf];

/** Damage to a file by a faulty disk or by accident. */
const HARMS: [string, (file: string) => Promise<unknown>][] = [
  ['missing', (file) => rm(file)],
  ['changed in its first bit', (file) => flip(file, 0)],
  ['changed in a bit in the middle', async (file) => flip(file, (await stat(file)).size >> 1)],
  ['changed in its last bit', async (file) => flip(file, (await stat(file)).size - 1)],
  ['cut short by a byte', async (file) => truncate(file, (await stat(file)).size - 1)],
  ['empty', (file) => truncate(file, 0)],
  ['a byte longer', (file) => writeFile(file, ' ', { flag: 'a' })],
  [
    'a symbolic link to the original file',
    async (file) => {
      await rename(file, `${file}.elsewhere`);
      await symlink(`${file}.elsewhere`, file);
    },
  ],
  [
    'a pipe',
    async (file) => {
      await rm(file);
      execFileSync('mkfifo', [file]);
    },
  ],
];

/** Changes by an attacker. A check of the checksums does not detect some of them; a restore must. */
const FORGERIES: [string, Harm][] = [
  [
    'a blob that is a path',
    (folder) => forge(folder, () => ({ blobs: [{ sha256: '../../../etc/passwd', size: 1 }] })),
  ],
  [
    'a database that is a path',
    (folder) => forge(folder, () => ({ database: { sha256: '../backup.json', size: 1 } })),
  ],
  [
    'a negative size',
    (folder, { database }) => forge(folder, () => ({ database: { ...database, size: -1 } })),
  ],
  ['a later format', (folder) => forge(folder, () => ({ format: 2 }))],
  ['an unknown field', (folder) => forge(folder, () => ({ path: '/etc' }))],
  ['a record of 1 TiB', (folder) => truncate(recordOf(folder), 2 ** 40)],
  ['too few blobs', (folder, { blobs }) => forge(folder, () => ({ blobs: blobs.slice(1) }))],
  ['another key', (folder) => forge(folder, () => ({ keyId: 'ed25519-0000000000000000' }))],
  [
    'a database that is not SQLite',
    async (folder) => {
      const bytes = 'no database at all';
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      await writeFile(join(folder, 'parts', sha256), bytes);
      await forge(folder, () => ({ database: { sha256, size: bytes.length } }));
    },
  ],
  [
    'a database of a later version of the store',
    async (folder, held) => {
      const draft = join(folder, 'draft');
      await copyFile(databaseOf(folder, held), draft);
      const database = new DatabaseSync(draft);
      database.exec(
        "insert into kysely_migration values ('9999-later', '2099'); pragma journal_mode = delete",
      );
      database.close();
      const bytes = await readFile(draft);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      await rename(draft, join(folder, 'parts', sha256));
      await forge(folder, () => ({ database: { sha256, size: bytes.length } }));
    },
  ],
];

/** Restores into a new folder, and expects an error in one line and no files. */
async function expectRefused(folder: string): Promise<void> {
  const dataDir = await newDataDir();
  await expect(restoreBackup(depsOf(dataDir), folder, { force: false, revocations: null })).rejects.toThrow(
    /^[^\n]+$/,
  );
  const left = Object.keys(await everythingIn(dataDir)).filter((name) => name !== 'keys');
  expect(left).toEqual([]);
}

describe('a damaged backup', () => {
  /** A backup that no test changes, made for the first of them, and its record. */
  let pristine: { folder: string; held: Awaited<ReturnType<typeof checkBackup>> } | undefined;
  afterAll(() => pristine && rm(pristine.folder, { recursive: true }));

  /** A copy of it. */
  async function backupCopy() {
    if (!pristine) {
      const { folder: made } = await backedUp();
      pristine = { folder: await mkdtemp(join(tmpdir(), 'svc-pristine-')), held: await checkBackup(made) };
      await cp(made, pristine.folder, { recursive: true });
    }
    const folder = join(await tempFolder(), 'backup');
    await cp(pristine.folder, folder, { recursive: true });
    return { folder, held: pristine.held };
  }

  it.each(HARMS)('is refused when any of its files is %s', async (_name, harm) => {
    for (const fileOf of FILES) {
      const { folder, held } = await backupCopy();
      await harm(fileOf(folder, held));
      await expect(checkBackup(folder)).rejects.toThrow();
      await expectRefused(folder);
    }
  });

  it.each(FORGERIES)(
    'is refused when its record has a valid checksum and contains %s',
    async (_name, harm) => {
      const { folder, held } = await backupCopy();
      await harm(folder, held);
      await expectRefused(folder);
    },
  );

  it('is refused when it is unfinished or missing', async () => {
    const folder = await tempFolder();
    await expect(checkBackup(folder)).rejects.toThrow('contains no finished backup');
    await expectRefused(folder);
    await expectRefused(join(folder, 'nowhere'));
  });
});
