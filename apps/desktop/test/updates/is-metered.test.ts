import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isMetered } from '../../src/updates/is-metered.ts';
import { tempFolder } from '../support/temp-folder.ts';

const OURS = [
  '--system --timeout=5 get-property org.freedesktop.NetworkManager',
  '/org/freedesktop/NetworkManager org.freedesktop.NetworkManager Metered',
].join(' ');

/** A folder with a program of this name, which answers only the given arguments. */
async function withProgram(name: string, script: string): Promise<NodeJS.ProcessEnv> {
  const folder = await tempFolder();
  const file = join(folder, name);
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o700);
  return { PATH: folder };
}

it.each([
  ['u 1', true],
  ['u 3', true],
  ['u 2', false],
  ['u 4', false],
  ['u 0', false],
  ['u 11', false],
  ['', false],
])('reads the answer "%s" of NetworkManager as %s', async (said, expected) => {
  const env = await withProgram('busctl', `[ "$*" = "${OURS}" ] && echo "${said}"`);
  expect(await isMetered('linux', env)).toBe(expected);
});

it.each([
  ['Fixed', true],
  ['Variable', true],
  ['Unrestricted', false],
  ['Unknown', false],
])('reads the cost "%s" of Windows as %s', async (said, expected) => {
  const env = await withProgram('powershell.exe', `echo "${said}"`);
  expect(await isMetered('win32', env)).toBe(expected);
});

it('is false where the system does not say: without the program, when that fails, and on other systems', async () => {
  expect(await isMetered('linux', { PATH: await tempFolder() })).toBe(false);
  expect(await isMetered('linux', await withProgram('busctl', 'echo "u 1"; exit 1'))).toBe(false);
  expect(await isMetered('darwin', {})).toBe(false);
});
