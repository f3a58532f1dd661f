import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import {
  chmod,
  type FileHandle,
  mkdir,
  mkdtemp,
  open,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { LIMITS } from '@svc/contracts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FolderError, readFolder } from '../src/folder.ts';

const systemError = (code: string) => Object.assign(new Error(code), { code });

test.each([
  ['ENOENT', 'missing', 'ui/a does not exist.'],
  ['ENOTDIR', 'not-a-folder', 'ui/a is not a folder.'],
  ['ELOOP', 'link', 'ui/a is a symbolic link: replace it by the file.'],
  ['EACCES', 'unreadable', 'ui/a cannot be read (EACCES).'],
])('%s becomes %s', (code, fault, message) => {
  const cause = systemError(code);
  expect(FolderError.of('ui/a', cause)).toMatchObject({
    name: 'FolderError',
    fault,
    path: 'ui/a',
    message,
    cause,
  });
});

test('other errors are returned unchanged', () => {
  const bug = new TypeError('a bug');
  const earlier = new FolderError('link', 'b', 'b is a link.');
  expect(FolderError.of('a', bug)).toBe(bug);
  expect(FolderError.of('a', earlier)).toBe(earlier);
});

let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'svc-folder-'));
});

afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

async function write(files: Record<string, string>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(dir, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

async function names(): Promise<string[]> {
  return [...(await readFolder(dir)).entries.keys()];
}

describe('readFolder', () => {
  test('reads every file, with forward slashes, in order of code units', async () => {
    await write({
      'plugin.json': '{}',
      'ui/b.js': 'b',
      'ui/a/c.js': 'c',
      'ui-x': 'x',
      'B.md': 'B',
      stray: '',
      'stray-2': '',
    });
    expect(await names()).toEqual([
      'B.md',
      'plugin.json',
      'stray',
      'stray-2',
      'ui-x',
      'ui/a/c.js',
      'ui/b.js',
    ]);
    const { entries, leftOut } = await readFolder(dir);
    expect(entries.get('ui/a/c.js')).toEqual(new TextEncoder().encode('c'));
    expect(leftOut).toEqual([]);
  });

  test('leaves out files that never belong in a bundle, and reports them', async () => {
    await write({
      'plugin.json': '{}',
      '.git/config': '',
      '.env': 'SECRET=1',
      'ui/.DS_Store': '',
      'ui/Thumbs.db': '',
      'ui/desktop.ini': '',
      'ui/Icon\r': '',
      'node_modules/x/index.js': '',
      'ui/node_modules/y.js': '',
      'old-1.0.0.svc-app': '',
      'ui/env': '',
    });
    const { entries, leftOut } = await readFolder(dir);
    expect([...entries.keys()]).toEqual(['plugin.json', 'ui/env']);
    expect(leftOut).toEqual([
      { path: '.env', why: expect.stringContaining('dot') },
      { path: '.git/', why: expect.stringContaining('dot') },
      { path: 'node_modules/', why: expect.stringContaining('installed packages') },
      { path: 'old-1.0.0.svc-app', why: expect.stringContaining('packed bundle') },
      { path: 'ui/.DS_Store', why: expect.stringContaining('dot') },
      { path: 'ui/Icon\r', why: expect.stringContaining('operating system') },
      { path: 'ui/Thumbs.db', why: expect.stringContaining('operating system') },
      { path: 'ui/desktop.ini', why: expect.stringContaining('operating system') },
      { path: 'ui/node_modules/', why: expect.stringContaining('installed packages') },
    ]);
  });

  test('writes names in normal form C, which macOS stores in form D', async () => {
    await write({ 'plugin.json': '{}', 'ui/gru\u0308n/u\u0308.html': 'x', 'ui/grz.html': '' });
    const { entries } = await readFolder(dir);
    expect([...entries.keys()]).toEqual(['plugin.json', 'ui/grz.html', 'ui/gr\u00fcn/\u00fc.html']);
  });

  // A file system that normalises names keeps one file, which is no conflict.
  test('refuses two files with the same name in different Unicode forms', async ({ skip }) => {
    await write({ 'ui/u\u0308.html': 'x', 'ui/\u00fc.html': 'y' });
    skip(readdirSync(path.join(dir, 'ui')).length === 1, 'this file system takes both names for one');
    await expect(readFolder(dir)).rejects.toMatchObject({ fault: 'special', path: 'ui/\u00fc.html' });
  });

  test('leaves out files that .svcignore names, in gitignore syntax', async () => {
    await write({
      '.svcignore': '# sources\nsrc/\n*.map\n!keep.map\n/top.txt\n',
      'plugin.json': '{}',
      'src/a.ts': '',
      'ui/a.map': '',
      'ui/keep.map': '',
      'ui/top.txt': '',
      'ui/A.MAP': '',
      'top.txt': '',
    });
    const { entries, leftOut } = await readFolder(dir);
    expect([...entries.keys()]).toEqual(['plugin.json', 'ui/A.MAP', 'ui/keep.map', 'ui/top.txt']);
    const named = leftOut.filter(({ why }) => why.includes('.svcignore')).map((item) => item.path);
    expect(named).toEqual(['src/', 'top.txt', 'ui/a.map']);
  });

  test('refuses a missing folder, and a file', async () => {
    const missing = path.join(dir, 'nowhere');
    await expect(readFolder(missing)).rejects.toMatchObject({ fault: 'missing', path: missing });
    await write({ 'plugin.json': '{}' });
    const file = path.join(dir, 'plugin.json');
    await expect(readFolder(file)).rejects.toMatchObject({ fault: 'not-a-folder', path: file });
    await expect(readFolder(file)).rejects.toBeInstanceOf(FolderError);
  });

  test.each([
    ['a file', 'plugin.json'],
    ['a folder', 'ui'],
    ['a missing file', 'nowhere'],
    ['a file outside', os.devNull],
  ])('refuses a symbolic link to %s', async (_, target) => {
    await write({ 'plugin.json': '{}', 'ui/a.js': '' });
    await symlink(target, path.join(dir, 'ui', 'link'));
    await expect(readFolder(dir)).rejects.toMatchObject({
      fault: 'link',
      path: 'ui/link',
      message: expect.stringContaining('ui/link is a symbolic link'),
    });
  });

  test('ignores links that are left out', async () => {
    await write({ 'plugin.json': '{}', 'node_modules/x.js': '' });
    await symlink('x.js', path.join(dir, 'node_modules', 'link'));
    await symlink('plugin.json', path.join(dir, '.link'));
    expect(await names()).toEqual(['plugin.json']);
  });

  test('refuses a .svcignore that is a link', async () => {
    await write({ rules: 'a' });
    await symlink('rules', path.join(dir, '.svcignore'));
    await expect(readFolder(dir)).rejects.toMatchObject({ fault: 'link', path: '.svcignore' });
  });

  test.for(['pipe', '.svcignore'])(
    'refuses a named pipe %s, without waiting for it',
    async (name, { skip }) => {
      skip(process.platform === 'win32', 'Windows has no named pipes in folders');
      execFileSync('mkfifo', [path.join(dir, name)]);
      await expect(readFolder(dir)).rejects.toMatchObject({ fault: 'special', path: name });
    },
  );

  test('refuses a socket', async ({ skip }) => {
    skip(process.platform === 'win32', 'Windows has no sockets in folders');
    const server = createServer().listen(path.join(dir, 'socket'));
    await once(server, 'listening');
    await expect(readFolder(dir)).rejects.toMatchObject({ fault: 'special', path: 'socket' });
    server.close();
  });

  test('refuses a file that it may not read', async ({ skip }) => {
    skip(process.getuid?.() === 0, 'the tests run as root, who may read everything');
    await write({ secret: 'x' });
    await chmod(path.join(dir, 'secret'), 0);
    await expect(readFolder(dir)).rejects.toMatchObject({ fault: 'unreadable', path: 'secret' });
  });

  test('stops at too many bytes, before it reads them', async () => {
    await write({ 'a.bin': '', 'b.bin': '' });
    await truncate(path.join(dir, 'a.bin'), 10);
    // More than Node reads into memory.
    await truncate(path.join(dir, 'b.bin'), 2 ** 32);
    await expect(readFolder(dir)).rejects.toMatchObject({ fault: 'too-large', path: 'b.bin' });
  });

  test('takes as many bytes as a bundle may have, and stops when a file grows beyond them as it is read', async () => {
    const file = path.join(dir, 'b.bin');
    await write({ 'a.bin': 'a', 'b.bin': '' });
    await truncate(file, LIMITS.bundle.inflatedBytes - 1);
    expect((await readFolder(dir)).entries.get('b.bin')).toHaveLength(LIMITS.bundle.inflatedBytes - 1);
    await rm(path.join(dir, 'a.bin'));
    await truncate(file, LIMITS.bundle.inflatedBytes);
    const handle = await open(file);
    const prototype: FileHandle = Object.getPrototypeOf(handle);
    await handle.close();
    const stat = vi.spyOn(prototype, 'readFile').mockImplementation(async function (this: FileHandle) {
      stat.mockRestore();
      await truncate(file, LIMITS.bundle.inflatedBytes + 1);
      return this.readFile();
    });
    // A failure must not print 64 MiB.
    const ending = await readFolder(dir).then(
      () => 'accepted',
      (error: unknown) => error,
    );
    expect(ending).toMatchObject({ fault: 'too-large', path: 'b.bin' });
  });

  test('closes every file, also one that it refuses', async ({ skip }) => {
    skip(process.platform !== 'linux', 'Linux lists the open files of a process');
    await write({ 'a.md': 'a' });
    await truncate(path.join(dir, 'a.md'), LIMITS.bundle.inflatedBytes + 1);
    await write({ 'b.md': 'b' });
    await expect(readFolder(dir)).rejects.toMatchObject({ fault: 'too-large' });
    const files = readdirSync('/proc/self/fd').map((name) => {
      try {
        return readlinkSync(`/proc/self/fd/${name}`);
      } catch {
        return '';
      }
    });
    expect(files.filter((file) => file.startsWith(dir))).toEqual([]);
  });

  test('stops at too many files', async () => {
    await mkdir(path.join(dir, 'ui'));
    const files = Array.from({ length: LIMITS.bundle.entries + 1 }, (_, index) => `ui/${index}`);
    await Promise.all(files.map((file) => writeFile(path.join(dir, file), '')));
    await expect(readFolder(dir)).rejects.toMatchObject({ fault: 'too-many' });
  });
});
