import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readBundle } from '@svc/bundle';
import { describe, expect, it } from 'vitest';
import { contentLines, leftOutLines, sizeBar } from '../../src/commands/pack.ts';
import { writeApp } from '../support/app-folder.ts';
import { memoryTerminal, testCli } from '../support/command-context.ts';

it('packs the same files into the same bytes, and shows the contents', async () => {
  const { run, cwd } = await testCli();
  await writeApp(path.join(cwd, 'app'), { files: { '.git/config': 'x' } });
  const first = await run('pack', 'app');
  expect(first).toMatchObject({ code: 0, err: '' });
  const bytes = await readFile(path.join(cwd, 'com.example.tidy-1.0.0.svc-app'));
  expect(first.out).toContain(createHash('sha256').update(bytes).digest('hex'));
  expect(first.out).toContain(`  size    ${bytes.length} bytes`);
  expect(first.out).toContain('left out:\n    .git/: hidden');
  expect(first.out).toContain('  svc will allow:\n');
  expect(first.out).toContain('    Contacts: api.example.com, mcp.example.com\n');

  await utimes(path.join(cwd, 'app', 'README.md'), 1, 1);
  expect(await run('pack', 'app/', '-o', 'again.zip')).toMatchObject({ code: 0 });
  expect(await readFile(path.join(cwd, 'again.zip'))).toEqual(bytes);
  const reading = readBundle(bytes);
  expect(reading.ok && [...reading.entries.keys()]).toEqual(['README.md', 'assets/icon.svg', 'plugin.json']);
});

it('lists the files by size, and compares the bundle with the limit', async () => {
  const { run, cwd } = await testCli();
  await writeApp(path.join(cwd, 'app'), { files: { 'ui/index.html': 'x'.repeat(3_000) } });
  const { out } = await run('pack', 'app');
  expect(out).toMatch(/files \(unpacked size\):\n +2\.9 KiB {2}ui\/index\.html\n/);
  expect(out).toMatch(/ {2}\[█░{19}\] {2}\d+(?:\.\d)? (?:bytes|KiB) of 25 MiB\n/);
});

it('shows the location of errors in the manifest', async () => {
  const { run, cwd } = await testCli();
  await writeApp(path.join(cwd, 'app'), { manifest: { version: 'v1' } });
  expect((await run('pack', 'app')).out).toContain('  > 5 |   "version": "v1",\n      |              ^^^^\n');
});

it('writes nothing when the checks find errors', async () => {
  const { run, cwd } = await testCli();
  await writeApp(path.join(cwd, 'app'), { manifest: { version: '../../1' } });
  const { code, out } = await run('pack', 'app');
  expect(code).toBe(1);
  expect(out).toContain('version.format');
  expect(await readdir(cwd)).toEqual(['app']);
});

it('names the folder that was probably meant in place of one without a manifest', async () => {
  const { run, cwd } = await testCli();
  await writeApp(path.join(cwd, 'all', 'app'));
  await mkdir(path.join(cwd, 'all', 'empty'));
  const says = async (dir: string) => (await run('pack', dir)).err;
  expect(await says('all')).toBe(
    `svc: all has no plugin.json: name the folder of the app. Did you mean ${path.join('all', 'app')}?\n`,
  );
  expect(await says('all/app/assets')).toContain(`Did you mean ${path.join('all', 'app')}?`);
  await writeApp(path.join(cwd, 'all', 'other'));
  expect(await says('all')).toBe('svc: all has no plugin.json: name the folder of the app.\n');
  expect(await says('all/empty')).toContain('all/empty has no plugin.json');
  expect(await readdir(cwd)).toEqual(['all']);
});

it('shows warnings and continues', async () => {
  const { run, cwd } = await testCli();
  await writeApp(path.join(cwd, 'app'), { files: { 'README.md': undefined } });
  const { code, out } = await run('pack', 'app');
  expect(code).toBe(0);
  expect(out).toContain('bundle.readme');
});

it.each([
  { what: 'begins with a hyphen', manifest: { id: '-rf.example' } },
  { what: 'is very long', manifest: { version: `1.0.0-${'a'.repeat(240)}` } },
])('requires a file name when the default one $what', async ({ manifest }) => {
  const { run, cwd } = await testCli();
  await writeApp(path.join(cwd, 'app'), { manifest });
  const refused = await run('pack', 'app');
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.err).toContain('-o');
  expect(await run('pack', 'app', '-o', 'app.svc-app')).toMatchObject({ code: 0 });
});

it('does not overwrite a file that it packs', async () => {
  const { run, cwd } = await testCli();
  await writeApp(path.join(cwd, 'app'));
  const { code, err } = await run('pack', 'app', '-o', 'app/plugin.json');
  expect(code).toBe(2);
  expect(err).toContain('is part of the app');
  expect(await readFile(path.join(cwd, 'app', 'plugin.json'), 'utf8')).toContain('com.example.tidy');
});

it.each([
  { args: ['app.svc-app'], says: 'is not a folder' },
  { args: ['nowhere'], says: 'does not exist' },
  {
    args: ['app', '-o', 'no/such/folder/app.svc-app'],
    says: 'Cannot write no/such/folder/app.svc-app (ENOENT)',
  },
  { args: ['app', '-o', 'a-folder'], says: 'Cannot write a-folder' },
])('reports $args as a usage error', async ({ args, says }) => {
  const { run, cwd } = await testCli();
  await writeApp(path.join(cwd, 'app'));
  await writeFile(path.join(cwd, 'app.svc-app'), 'x');
  await mkdir(path.join(cwd, 'a-folder'));
  const { code, err } = await run('pack', ...args);
  expect(code).toBe(2);
  expect(err).toContain(says);
  expect((await readdir(cwd)).sort()).toEqual(['a-folder', 'app', 'app.svc-app']);
});

const { terminal } = memoryTerminal();
const MIB = 1024 * 1024;

describe('the size bar', () => {
  it.each([
    { bytes: 1, bar: `[█${'░'.repeat(19)}]  1 byte of 25 MiB` },
    { bytes: 4.2 * MIB, bar: `[███${'░'.repeat(17)}]  4.2 MiB of 25 MiB` },
    { bytes: 25 * MIB - 1, bar: `[${'█'.repeat(19)}░]  25.0 MiB of 25 MiB` },
    { bytes: 25 * MIB, bar: `[${'█'.repeat(20)}]  25.0 MiB of 25 MiB` },
  ])('shows $bytes bytes', ({ bytes, bar }) => {
    expect(sizeBar(terminal, bytes, 25 * MIB)).toBe(`  ${bar}\n`);
  });

  it('uses ASCII without Unicode support', () => {
    const ascii = sizeBar({ ...terminal, unicode: false }, 5 * MIB, 25 * MIB);
    expect(ascii).toBe(`  [####${'.'.repeat(16)}]  5.0 MiB of 25 MiB\n`);
  });

  it('is yellow when it is nearly full', () => {
    const coloured = { ...terminal, colour: true };
    expect(sizeBar(coloured, 20 * MIB, 25 * MIB)).toContain('\u001b[32m');
    expect(sizeBar(coloured, 20 * MIB + 1, 25 * MIB)).toContain('\u001b[33m');
  });
});

describe('the list of contents', () => {
  it('is sorted by size, then by name', () => {
    const entries = new Map([
      ['b', new Uint8Array(3)],
      ['a', new Uint8Array(3)],
      ['large', new Uint8Array(2048)],
    ]);
    expect(contentLines(terminal, entries)).toBe(
      '  files (unpacked size):\n    2.0 KiB  large\n    3 bytes  a\n    3 bytes  b\n',
    );
  });

  it('counts the files beyond its limit', () => {
    const entries = new Map(Array.from({ length: 215 }, (_, index) => [`f${index}`, new Uint8Array(index)]));
    const lines = contentLines(terminal, entries).trimEnd().split('\n');
    expect(lines).toHaveLength(17);
    expect(lines.at(-1)).toBe('    and 200 more');
  });

  it('shows the files left out, and escapes names', () => {
    expect(leftOutLines([])).toBe('');
    expect(leftOutLines([{ path: '\u001b[2J', why: 'hidden' }])).toBe(
      '  left out:\n    \\u001b[2J: hidden\n',
    );
  });
});
