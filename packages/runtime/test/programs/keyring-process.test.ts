import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';

const PROGRAM = path.join(import.meta.dirname, '..', '..', 'src', 'programs', 'keyring-process.ts');

/** Runs the program where there is no desktop. */
const run = (action: string, input = '') => {
  const env = { PATH: process.env.PATH ?? '', DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, action, 'https://store.example'], {
    env,
    input,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
};

it.each(['get', 'set', 'delete'])('fails to %s without a Secret Service, and has no fallback', (action) => {
  const { status, stdout, stderr } = run(action, 'svcd_secret');
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toContain('DBus error');
  expect(stderr).not.toContain('svcd_secret');
});
