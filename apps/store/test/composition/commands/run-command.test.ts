import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEEP } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../../../src/composition/commands/run-command.ts';
import { SETTING_NAMES, SettingError } from '../../../src/composition/settings.ts';
import { filledStore, tempFolder } from '../../support/backup.ts';
import { start } from '../../support/program.ts';

const ambient = {
  clock: () => new Date(),
  random: (n: number) => new Uint8Array(n),
  newId: () => 'id',
  fetch,
  log: { info() {}, warn() {}, error() {} },
};
const noSettings = (): never => {
  throw new Error('The settings were read.');
};
const run = (...words: string[]) => runCommand(words, noSettings, ambient);

describe('the command line of the store', () => {
  it.each([['--help'], ['-h'], ['keys', '--help']])('prints the help: %s %s', async (...words) => {
    const said = await run(...words);
    expect(said).toHaveProperty('print', expect.stringContaining('svc-store keys rotate\n'));
  });

  it('prints the help of one command', async () => {
    const said = await run('keys', 'rotate', '--help');
    expect(said).toEqual({ print: expect.stringMatching(/^svc-store keys rotate\n {4}\S.*\n$/) });
  });

  it('prints its version without reading the settings', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../../package.json', import.meta.url), 'utf8'));
    expect(await run('--version')).toEqual({ print: `${version}\n` });
  });

  it.each([['serve'], ['keys'], ['keys', 'rotated'], ['rotate', 'keys'], ['version'], ['']])(
    'rejects the unknown command: %s %s',
    async (...words) => {
      await expect(run(...words)).rejects.toThrow(SettingError);
      await expect(run(...words)).rejects.toThrow('Unknown command.');
    },
  );

  it.each([
    ['too many operands', ['keys', 'rotate', 'now']],
    ['an unknown option', ['keys', 'rotate', '--force']],
  ])('prints the usage of a command for %s', async (_name, words) => {
    await expect(run(...words)).rejects.toThrow('Usage: svc-store keys rotate');
  });

  it('reads the settings to run a command', async () => {
    await expect(run('keys', 'rotate')).rejects.toThrow('The settings were read.');
  });

  it('lists every setting in its help, without Markdown', async () => {
    const said = await run('--help');
    const text = 'print' in said ? said.print : '';
    for (const name of SETTING_NAMES) expect(text).toMatch(new RegExp(`^  ${name} +[^\`[]+$`, 'm'));
  });
});

const ORPHAN = '0'.repeat(64);

async function sweep(dataDir: string, ...options: string[]) {
  const run = start({ SVC_DATA_DIR: dataDir }, ['sweep', ...options]);
  return { exit: await run.exit, said: run.output.err };
}

describe('svc-store sweep', () => {
  it('removes blobs that no version refers to while the store is running', DEEP, async () => {
    const { store } = await filledStore();
    const kept = (await store.filesUnder('blobs')).sort();
    await mkdir(join(store.folder, 'blobs', '00'), { recursive: true });
    await writeFile(join(store.folder, 'blobs', '00', ORPHAN), 'left behind');
    expect(await sweep(store.folder)).toMatchObject({
      exit: 0,
      said: expect.stringContaining('Removed 0 blobs'),
    });
    expect(await sweep(store.folder, '--older-than', '0')).toEqual({
      exit: 0,
      said: 'svc-store: Removed 1 blobs that no version refers to.\n',
    });
    expect((await store.filesUnder('blobs')).sort()).toEqual(kept);
  });

  it.each(['soon', '-1', '1.5', ''])('refuses %o minutes', DEEP, async (minutes) => {
    expect(await sweep(await tempFolder(), `--older-than=${minutes}`)).toEqual({
      exit: 2,
      said: 'svc-store: --older-than takes a number of minutes.\n',
    });
  });
});

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'svc-prepare-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

it('creates the key once, and changes neither the key nor the data folder afterwards', async () => {
  const dataDir = await folder();
  const key = join(await folder(), 'keys', 'key.pem');
  const said: string[] = [];
  for (let times = 0; times < 2; times += 1) {
    const run = start({ SVC_DATA_DIR: dataDir, SVC_SIGNING_KEY_FILE: key }, ['prepare']);
    expect(await run.exit).toBe(0);
    said.push(run.output.err);
  }
  expect(said[0]).toMatch(/^svc-store: .* It signs with ed25519-[0-9a-f]{16}\.\n$/);
  expect(said[1]).toBe(said[0]);
  expect(await readdir(dataDir)).toEqual([]);
});

it('creates no key when the bucket cannot be created, and reports that in one line', DEEP, async () => {
  const keys = await folder();
  const environment = {
    SVC_SIGNING_KEY_FILE: join(keys, 'key.pem'),
    SVC_BLOBS: 's3://apps?endpoint=http://127.0.0.1:2',
    AWS_ACCESS_KEY_ID: 'x',
    AWS_SECRET_ACCESS_KEY: 'x',
  };
  const run = start(environment, ['prepare']);
  expect(await run.exit).toBe(1);
  expect(run.output.err).toMatch(/^svc-store: The store was not prepared: [^\n]+\n$/);
  expect(await readdir(keys)).toEqual([]);
});
