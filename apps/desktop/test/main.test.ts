import { type ChildProcess, spawn } from 'node:child_process';
import { access, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { bareEnvironment, DEEP, ownProgram, sampleFiles, sampleManifest } from '@svc/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { tempFolder } from './support/temp-folder.ts';

type Program = { child: ChildProcess; output: { out: string; err: string }; exit: Promise<number | null> };

/** Starts the program without a display, with its own home folder. It is killed after the test. */
function start(home: string, ...words: string[]): Program {
  const env = { ...bareEnvironment(), HOME: home, SVC_STORE: 'http://127.0.0.1:1' };
  const child = spawn(process.execPath, [ownProgram('desktop'), ...words], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = { out: '', err: '' };
  child.stdout.on('data', (text) => {
    output.out += text;
  });
  child.stderr.on('data', (text) => {
    output.err += text;
  });
  return { child, output, exit: new Promise((resolve) => child.on('close', resolve)) };
}

const linkOf = async ({ output }: Program): Promise<string> => {
  await expect.poll(() => output.out).toMatch(/^Desktop: .*\n/m);
  return /^Desktop: (.*)$/m.exec(output.out)?.[1] ?? '';
};

it('reports a usage error in one line, and exits with 2', DEEP, async () => {
  const home = await tempFolder();
  const wrong = [
    ['__proto__'],
    ['desktop', '--local-apps', '--store', 'https://store.example.com'],
    ['dev', path.join(home, 'missing')],
  ];
  for (const { exit, output } of wrong.map((words) => start(home, ...words))) {
    expect(await exit).toBe(2);
    expect(output.err.trim().split('\n')).toHaveLength(1);
    expect(output.out).toBe('');
  }
});

it('prints the usage of a command with --help', async () => {
  const { exit, output } = start(await tempFolder(), 'desktop', '--help');
  expect([await exit, output.err]).toEqual([0, '']);
  expect(output.out).toMatch(/^Usage: svc desktop \[--store URL\] [^\n]+\n$/);
});

it('prints the usage of every command with --help', DEEP, async () => {
  const { exit, output } = start(await tempFolder(), '--help');
  expect(await exit).toBe(0);
  expect(output.out.match(/^Usage: svc \w+/gm)).toEqual(
    ['desktop', 'dev', 'gateway', 'connect', 'install', 'links', 'updates'].map(
      (name) => `Usage: svc ${name}`,
    ),
  );
});

it('opens once per folder: a second start prints a link to the first, which SIGTERM closes cleanly', async () => {
  const home = await tempFolder();
  const first = start(home, 'desktop');
  const link = await linkOf(first);
  expect(link).toMatch(/^http:\/\/localhost:\d+\/#key=[\w-]{43}$/);
  const second = start(home, 'desktop', '--no-open', '--page', '/store');
  const other = await linkOf(second);
  expect(await second.exit).toBe(0);
  const [before] = link.split('#');
  expect(other.split('#')[0]).toBe(before);
  expect(other).not.toContain(link);
  expect(other).toMatch(/&to=\/store$/);

  const control = path.join(home, '.local/share/svc/desktop/desktop.json');
  await access(control);
  first.child.kill('SIGTERM');
  expect(await first.exit).toBe(0);
  await expect(access(control)).rejects.toMatchObject({ code: 'ENOENT' });
  // The link, and how long it works.
  expect(first.output.out.trim().split('\n')).toHaveLength(2);
});

it('starts again after it was killed', DEEP, async () => {
  const home = await tempFolder();
  const first = start(home, 'desktop', '--no-open');
  await linkOf(first);
  first.child.kill('SIGKILL');
  await first.exit;
  const second = start(home, 'desktop', '--no-open');
  await linkOf(second);
  second.child.kill('SIGINT');
  expect(await second.exit).toBe(0);
});

it('opens a development folder, and prints findings when it changes', DEEP, async () => {
  const [home, app] = [await tempFolder(), await tempFolder()];
  for (const [name, bytes] of sampleFiles()) {
    await mkdir(path.dirname(path.join(app, name)), { recursive: true });
    await writeFile(path.join(app, name), bytes);
  }
  const program = start(home, 'dev', app, '--no-open');
  expect(await linkOf(program)).toMatch(/#key=[\w-]{43}&to=\/dev\/com\.example\.notes$/);
  expect(program.output.out).toContain('clean');
  await writeFile(path.join(app, 'plugin.json'), JSON.stringify(sampleManifest({ version: 'one' })));
  await expect.poll(() => program.output.out).toMatch(/error version\.format/);
  program.child.kill('SIGTERM');
  expect(await program.exit).toBe(0);
  await access(path.join(home, '.local/share/svc/dev/settings.json'));
});
