import { execFileSync } from 'node:child_process';
import fs, {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needs } from '@svc/testkit';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  keepPrivate,
  makePrivateFolder,
  newPrivateFile,
  openPrivateFolder,
  openPrivateSqlite,
  PrivateFolderError,
} from '../src/private-files.ts';

const IS_ROOT = process.getuid?.() === 0;
const NEEDS_MODES = needs(process.platform !== 'win32', 'needs the modes of files');
const NEEDS_ROOT = needs(IS_ROOT, 'needs root, to act as a second user');

/** The user `nobody`. */
const OTHER = 65_534;

const modeOf = (path: string): number => statSync(path).mode & 0o7777;

let folder: string;
beforeEach(() => {
  const before = process.umask(0);
  folder = mkdtempSync(join(tmpdir(), 'svc-private-'));
  chmodSync(folder, 0o755);
  onTestFinished(() => {
    process.umask(before);
    rmSync(folder, { recursive: true, force: true });
  });
});

/** Runs a program as another user of the machine. @returns whether it succeeded */
function asOther(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { uid: OTHER, gid: OTHER, stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}

describe('with a umask of 0', NEEDS_MODES, () => {
  it('creates folders and files that only their owner can access', async () => {
    const deep = join(folder, 'a', 'b');
    expect(makePrivateFolder(deep)).toEqual([join(folder, 'a'), deep]);
    expect(makePrivateFolder(deep)).toEqual([]);
    const handle = await newPrivateFile(join(deep, 'file'));
    await handle.close();
    expect([join(folder, 'a'), deep, join(deep, 'file')].map(modeOf)).toEqual([0o700, 0o700, 0o600]);
    await expect(newPrivateFile(join(deep, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
  });

  it('creates no folder where or below a file is, and none in a place that takes none', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    for (const [place, code] of [
      [file, 'EEXIST'],
      [join(file, 'a', 'b'), 'ENOTDIR'],
      ...(process.platform === 'linux' ? [['/proc/none/such', 'ENOENT']] : []),
    ] as const)
      expect(() => makePrivateFolder(place)).toThrow(expect.objectContaining({ code }));
  });

  it('creates databases, with all files beside them, that only their owner can access', () => {
    const file = join(folder, 'data.sqlite');
    const database = openPrivateSqlite(file, {});
    database.exec('pragma journal_mode = wal; create table t (a text)');
    expect([file, `${file}-wal`, `${file}-shm`].map(modeOf)).toEqual([0o600, 0o600, 0o600]);
    database.close();
  });

  it('makes an existing database private, with all files beside it', () => {
    const file = join(folder, 'data.sqlite');
    const first = openPrivateSqlite(file, {});
    first.exec('pragma journal_mode = wal; create table t (a text)');
    const all = [file, `${file}-wal`, `${file}-shm`];
    for (const one of all) chmodSync(one, 0o644);
    const second = openPrivateSqlite(file, {});
    expect(all.map(modeOf)).toEqual([0o600, 0o600, 0o600]);
    second.close();
    first.close();
    // What a process that was killed left.
    const journal = `${file}-journal`;
    writeFileSync(journal, '', { mode: 0o644 });
    openPrivateSqlite(file, {}).close();
    expect(modeOf(journal)).toBe(0o600);
  });

  it('makes the files beside a database private that a link leads to', () => {
    const [file, link] = [join(folder, 'data.sqlite'), join(folder, 'link')];
    const first = openPrivateSqlite(file, {});
    first.exec('pragma journal_mode = wal; create table t (a text)');
    chmodSync(`${file}-wal`, 0o644);
    symlinkSync(file, link);
    openPrivateSqlite(link, {}).close();
    expect(modeOf(`${file}-wal`)).toBe(0o600);
    first.close();
  });

  it('follows no link to create a file, and creates none in a missing folder', () => {
    const [link, target] = [join(folder, 'link'), join(folder, 'target')];
    symlinkSync(target, link);
    for (const open of [keepPrivate, (file: string) => openPrivateSqlite(file, {})])
      expect(() => open(link)).toThrow(`${link} is a link to a file that does not exist.`);
    expect(existsSync(target)).toBe(false);
    expect(() => keepPrivate(join(folder, 'none', 'file'))).toThrow(
      expect.objectContaining({ code: 'ENOENT' }),
    );
  });

  it('keeps the lock of a connection of this process when the file is opened again', () => {
    const file = join(folder, 'lock');
    const first = openPrivateSqlite(file, { timeout: 0 });
    first.exec('begin exclusive');
    openPrivateSqlite(file, { timeout: 0 }).close();
    const script = `const {DatabaseSync} = require('node:sqlite'); new DatabaseSync(process.argv[1], {timeout: 0}).exec('begin exclusive')`;
    expect(() => execFileSync(process.execPath, ['-e', script, file], { stdio: 'pipe' })).toThrow('locked');
    first.close();
  });

  it('makes an existing folder private', () => {
    const own = join(folder, 'own');
    mkdirSync(own, { mode: 0o777 });
    expect(openPrivateFolder(own)).toEqual([]);
    expect(modeOf(own)).toBe(0o700);
    const link = join(folder, 'link');
    chmodSync(own, 0o755);
    symlinkSync(own, link);
    openPrivateFolder(link);
    expect(modeOf(own)).toBe(0o700);
    chmodSync(own, 0o1700);
    openPrivateFolder(own);
    expect(modeOf(own)).toBe(0o1700);
  });

  it('refuses a folder whose modes cannot be changed, unless the system has no modes', () => {
    const [platform, chmod] = [process.platform, chmodSync];
    const own = join(folder, 'own');
    mkdirSync(own, { mode: 0o755 });
    // As on a file system of Windows.
    Object.assign(fs, { chmodSync: () => {} });
    syncBuiltinESMExports();
    try {
      expect(() => openPrivateFolder(own)).toThrow(PrivateFolderError);
      Object.defineProperty(process, 'platform', { value: 'win32' });
      expect(openPrivateFolder(own)).toEqual([]);
    } finally {
      Object.defineProperty(process, 'platform', { value: platform });
      Object.assign(fs, { chmodSync: chmod });
      syncBuiltinESMExports();
    }
  });

  it('refuses a folder that users share, and leaves it as it is', () => {
    chmodSync(folder, 0o1777);
    expect(() => openPrivateFolder(folder)).toThrow(PrivateFolderError);
    expect(() => openPrivateFolder(folder)).toThrow(
      `Other users share ${folder}. Choose a folder inside it.`,
    );
    expect(modeOf(folder)).toBe(0o1777);
    expect(openPrivateFolder(join(folder, 'inside'))).toEqual([join(folder, 'inside')]);
  });
});

/** Runs `openPrivateFolder` as another user. @returns its error, or an empty text */
function openAsOther(path: string): string {
  const module = new URL('../src/private-files.ts', import.meta.url).href;
  const run = `import { openPrivateFolder } from ${JSON.stringify(module)}; process.setgroups([]); process.setgid(${OTHER}); process.setuid(${OTHER});
    try { openPrivateFolder(process.argv[1]) } catch (error) { process.stdout.write(error.message) }`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', run, path], { encoding: 'utf8' });
}

describe('a second user of the machine', NEEDS_ROOT, () => {
  it('reads neither files nor databases, also of a folder that was open to all', async () => {
    const own = join(folder, 'own');
    mkdirSync(own, { mode: 0o777 });
    writeFileSync(join(own, 'old'), 'secret', { mode: 0o666 });
    const handle = await newPrivateFile(join(own, 'new'));
    await handle.writeFile('secret');
    await handle.close();
    expect(asOther('cat', join(own, 'old'))).toBe(true);
    expect(asOther('cat', join(own, 'new'))).toBe(false);
    openPrivateFolder(own);
    for (const name of ['old', 'new']) expect(asOther('cat', join(own, name))).toBe(false);
    expect(asOther('mv', join(own, 'new'), join(own, 'gone'))).toBe(false);
    expect(readFileSync(join(own, 'new'), 'utf8')).toBe('secret');
  });

  it('is refused a folder that other users can write to, and gets a mounted volume that they cannot', () => {
    const volume = join(folder, 'volume');
    mkdirSync(volume, { mode: 0o777 });
    expect(openAsOther(volume)).toBe(
      `Other users can access ${volume}. Run chmod 700 on it, or choose a folder inside it, which is then created private.`,
    );
    chownSync(volume, 0, OTHER);
    chmodSync(volume, 0o2775);
    expect(openAsOther(volume)).toBe('');
    expect(openAsOther(join(volume, 'inside'))).toBe('');
    expect(modeOf(join(volume, 'inside')) & 0o777).toBe(0o700);
  });

  it('has a folder of its own made private, by itself and by root', () => {
    for (const open of [openAsOther, openPrivateFolder]) {
      const own = join(folder, open.name);
      mkdirSync(own);
      chownSync(own, OTHER, OTHER);
      open(own);
      expect(modeOf(own)).toBe(0o700);
    }
  });
});

it('creates no file for a database in memory', () => {
  openPrivateSqlite(':memory:', {}).close();
  expect(existsSync(':memory:')).toBe(false);
});

it.each<[string, (folder: string) => string, string, string]>([
  ['is a file', (at) => at, 'EEXIST', 'There is a file in its place.'],
  ['leads through a file', (at) => join(at, 'b'), 'ENOTDIR', 'There is a file in its path.'],
  ['has a long name', (at) => join(at, '..', 'x'.repeat(300)), 'ENAMETOOLONG', 'Its path is too long.'],
])('says why a folder whose place %s is not created', (_what, placeOf, code, why) => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const place = placeOf(file);
  expect(() => makePrivateFolder(place)).toThrow(
    expect.objectContaining({
      constructor: PrivateFolderError,
      message: `Cannot create the folder ${place}. ${why}`,
      code,
    }),
  );
});
