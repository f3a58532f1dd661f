import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { testCli } from '../support/command-context.ts';

const TEXT = '{\n  "id": "com.example.tidy",\n\t"version" : "1.2.3",   "name": "Tidy"\n}';

async function raised(...args: string[]) {
  const cli = await testCli();
  const file = path.join(cli.cwd, 'plugin.json');
  await writeFile(file, TEXT);
  return { ...(await cli.run('version', ...args)), text: await readFile(file, 'utf8') };
}

it('shows the version', async () => {
  expect(await raised()).toEqual({ code: 0, out: '1.2.3\n', err: '', text: TEXT });
  expect((await raised('--json')).out).toBe('{"version":"1.2.3"}\n');
});

it.each([
  ['patch', '1.2.4'],
  ['minor', '1.3.0'],
  ['major', '2.0.0'],
  ['prerelease', '1.2.4-0'],
  ['1.10.0', '1.10.0'],
])('raises the version by %s to %s, and changes no other character', async (step, next) => {
  expect(await raised(step)).toMatchObject({
    code: 0,
    out: `1.2.3 -> ${next}\n`,
    text: TEXT.replace('1.2.3', next),
  });
});

it.each(['1.2.3', '1.0.0', 'bigger', '\u001b[2J'])('refuses %j', async (step) => {
  const { code, err, text } = await raised(step);
  expect({ code, text }).toEqual({ code: 2, text: TEXT });
  expect(err).not.toContain('\u001b');
});

it('reports a missing or invalid version', async () => {
  const cli = await testCli();
  expect((await cli.run('version', 'minor')).err).toContain('Cannot read plugin.json (ENOENT)');
  await writeFile(path.join(cli.cwd, 'plugin.json'), '{"version":"1"}');
  expect(await cli.run('version', 'minor')).toMatchObject({ code: 2 });
});
