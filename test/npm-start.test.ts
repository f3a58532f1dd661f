import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEEP, freePort } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** A step that reports that it runs, and exits with 0 after a signal, as the store does; `said` is its output file. */
const step = (name: string, life: string): string => `
import { appendFileSync } from 'node:fs';
const say = (what) => appendFileSync(process.env.SAID, ${JSON.stringify(name)} + ' ' + what + '\\n');
const alive = setInterval(() => {}, 1000);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => { say(signal); clearInterval(alive); });
say('begins');
${life}`;

const LASTS = '';
const ENDS = 'clearInterval(alive);';

type Started = {
  child: ChildProcess;
  said(): Promise<string>;
  ended: Promise<[number | null, string | null]>;
};

/** Kills leftovers of a test. */
function killGroup({ pid = 0 }: ChildProcess): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has already exited.
  }
}

/** What npm installs, as the fake npm says it. */
const FAKE_NPM = `#!${process.execPath}
require('node:fs').appendFileSync(process.env.SAID, 'npm ' + process.argv.slice(2).join(' ') + '\\n');`;

/** Runs a command of the project in a clone with fake programs. @param lock the packages of its lock file, none of which is installed */
async function start(
  steps: { build: string; main: string },
  program = 'npm',
  { command = 'start', lock = {} }: { command?: string; lock?: object } = {},
): Promise<Started> {
  const root = await mkdtemp(join(tmpdir(), 'svc-start-'));
  onTestFinished(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));
  const files: Record<string, string> = {
    'package.json': '{ "scripts": { "start": "node scripts/run.mjs start" } }',
    'package-lock.json': JSON.stringify({ packages: lock }),
    'node_modules/.package-lock.json': '{ "packages": {} }',
    'node_modules/.bin/vite': step('vite', steps.build),
    'node_modules/.bin/vitest': step('vitest', ENDS),
    'node_modules/.bin/package.json': '{ "type": "module" }',
    'bin/npm': FAKE_NPM,
    'scripts/build-programs.ts': step('build', ENDS),
    'apps/store/dist/lib/svc-store.js': step('store', steps.main),
    'apps/store/dist/package.json': '{ "type": "module" }',
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(root, name, '..'), { recursive: true });
    await writeFile(join(root, name), text);
  }
  for (const name of ['run.mjs', 'worst-of.mjs'])
    await cp(join(ROOT, 'scripts', name), join(root, 'scripts', name));
  await chmod(join(root, 'bin/npm'), 0o755);
  const said = join(root, 'said');
  await writeFile(said, '');
  const words = program === 'npm' ? [command] : [join(root, 'scripts/run.mjs'), command];
  const fakes = program === 'npm' ? '' : `${join(root, 'bin')}:`;
  const env = { PATH: `${fakes}${join(process.execPath, '..')}:${process.env.PATH}`, HOME: root, SAID: said };
  // In its own process group, as a terminal starts it.
  const child = spawn(program, words, { cwd: root, env, stdio: 'ignore', detached: true });
  onTestFinished(() => killGroup(child));
  const ended = once(child, 'exit') as Started['ended'];
  return { child, said: () => readFile(said, 'utf8'), ended };
}

describe.each(['npm', process.execPath])('started by %s', (program) => {
  it('SIGTERM stops the running step, which may exit with 0', async () => {
    const { child, said, ended } = await start({ build: ENDS, main: LASTS }, program);
    await expect.poll(said).toContain('store begins');
    child.kill('SIGTERM');
    await ended;
    await expect.poll(said).toMatch(/store SIGTERM\n$/);
    if (program !== 'npm') expect(await ended).toEqual([0, null]);
  });

  it('Ctrl-C, sent to the whole process group, stops the running step', async () => {
    const { child, said, ended } = await start({ build: ENDS, main: LASTS }, program);
    await expect.poll(said).toContain('store begins');
    process.kill(-Number(child.pid), 'SIGINT');
    await ended;
    await expect.poll(said).toContain('store SIGINT');
  });

  it('SIGTERM during a step starts no further step, even when it exits with 0', async () => {
    const { child, said, ended } = await start({ build: LASTS, main: LASTS }, program);
    await expect.poll(said).toContain('vite begins');
    child.kill('SIGTERM');
    await ended;
    await expect.poll(said).toContain('vite SIGTERM');
    expect(await said()).not.toMatch(/build|store/);
    if (program !== 'npm') expect(await ended).toEqual([143, null]);
  });
});

describe('what a command needs is installed first', () => {
  const needed = { 'node_modules/one': { version: '1.0.0' } };
  const dev = { 'node_modules/two': { version: '1.0.0', dev: true } };
  it.each<[string, object, string]>([
    ['start', dev, ''],
    ['start', { ...needed, ...dev }, 'npm ci --loglevel=error --no-audit --no-fund --omit=dev'],
    ['test', dev, 'npm ci --loglevel=error --no-audit --no-fund\n'],
  ])('by `npm %s`, where %j is missing: %s', async (command, lock, installs) => {
    const { said, ended } = await start({ build: ENDS, main: ENDS }, process.execPath, { command, lock });
    expect(await ended).toEqual([0, null]);
    const words = await said();
    if (installs) expect(words.startsWith(installs)).toBe(true);
    else expect(words).toMatch(/^vite begins/);
  });
});

it('is stopped by SIGTERM at any moment between steps', { ...DEEP, timeout: 120_000 }, async () => {
  for (let ms = 0; ms < 1500; ms += 60) {
    const { child, said, ended } = await start({ build: ENDS, main: LASTS }, process.execPath);
    await new Promise((resolve) => setTimeout(resolve, ms));
    child.kill('SIGTERM');
    await ended;
    expect((await said()).trim().split('\n').at(-1)).not.toBe('store begins');
  }
});

it('`npm start` runs a store that SIGTERM stops', { ...DEEP, timeout: 240_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-npm-start-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const port = String(await freePort());
  const { PATH, HOME } = process.env;
  const child = spawn('npm', ['start'], {
    cwd: ROOT,
    env: { PATH, HOME, PORT: port, SVC_DATA_DIR: join(folder, 'data') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let out = '';
  child.stdout.on('data', (text) => {
    out += text;
  });
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(() => out).toContain('"port":');
  expect(await isUp()).toBe(true);
  child.kill('SIGTERM');
  await once(child, 'exit');
  await expect.poll(isUp).toBe(false);
  await expect.poll(() => out).toContain('Stopping');
});
