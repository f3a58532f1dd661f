import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { readBundle } from '@svc/bundle';
import { DEEP } from '@svc/testkit';
import { expect, it, onTestFinished } from 'vitest';

const MAIN = join(import.meta.dirname, '..', 'server', 'main.ts');

function start(...args: string[]) {
  const program = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void program.kill('SIGKILL'));
  return program;
}

it('prints its URL, packs its app, and stops on a signal', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pinboard-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const bundle = join(folder, 'pinboard.svc-app');
  const program = start('--port', '0', '--data', join(folder, 'data'), '--pack', bundle);
  const ended = once(program, 'exit');
  const errors = text(program.stderr);
  const [line] = (await once(program.stdout.setEncoding('utf8'), 'data')) as [string];
  const [, origin = ''] = /^Pinboard: (http:\/\/localhost:\d+)\n$/.exec(line) ?? [];
  expect((await fetch(`${origin}/mcp`)).status).toBe(401);
  const reading = readBundle(await readFile(bundle));
  const manifest = reading.ok && reading.entries.get('plugin.json');
  expect(Buffer.from(manifest || []).toString()).toContain(`"${origin}/mcp"`);
  program.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(await errors).toBe('');
});

it.each([
  { args: ['--port', 'x'], says: '--port is a number' },
  { args: ['--origin', 'http://pins.example.com', '--no-passwords'], says: '--origin is an https address' },
  {
    args: ['--origin', 'https://pins.example.com/app', '--no-passwords'],
    says: '--origin is an https address',
  },
  { args: ['--origin', 'https://pins.example.com'], says: 'Boards have no passwords' },
  { args: ['--what'], says: '--what' },
])('rejects $args, and prints the reason and the usage', DEEP, async ({ args, says }) => {
  const program = start(...args);
  const [errors, [code]] = await Promise.all([text(program.stderr), once(program, 'exit')]);
  expect(code).toBe(2);
  expect(errors).toContain(says);
  expect(errors).toContain('Usage:');
});
