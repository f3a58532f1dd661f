import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { bareEnvironment, DEEP, needs } from '@svc/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../packages/runtime/test/support/temp-folder.ts';
import { openDemo } from '../tools/demo/open-demo.ts';

const ROOT = join(import.meta.dirname, '..');
const PICTURE = 'examples/pinboard/app/assets/board-light.png';
const PAGES = ['packages/runtime/README.md', 'docs/client.md'];

/** The first example of a page. */
async function exampleOf(page: string): Promise<string> {
  const [, code = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(await readFile(join(ROOT, page), 'utf8')) ?? [];
  return code;
}

const OPENS_BY_PATH = needs(
  process.platform === 'linux',
  'needs a system that finds what opens a page on the path',
);

/** Replaces the browser of the system: a program on the path that signs in on the given page. */
const BROWSER = `#!${process.execPath}
const { openBrowser } = await import(${JSON.stringify(join(ROOT, 'examples/pinboard/test/support/person.ts'))});
const { url } = await openBrowser().signIn(process.argv[2], { name: 'Ada' });
await (await fetch(url)).body?.cancel();
`;

/** Runs a program in a folder with access to the packages of the repository. */
async function run(
  folder: string,
  words: readonly string[],
  store: string,
): Promise<{ out: string; code: number }> {
  const env = bareEnvironment();
  const child = spawn(process.execPath, [...words], {
    cwd: folder,
    env: { ...env, DISPLAY: ':0', PATH: `${join(folder, 'bin')}:${env.PATH}`, SVC_STORE: store },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'exit') as Promise<[number]>]);
  return { out, code };
}

it('is on both pages, in about ten lines', async () => {
  const [readme = '', page] = await Promise.all(PAGES.map(exampleOf));
  expect(page).toBe(readme);
  expect(readme.split('\n').filter((line) => line !== '').length).toBeLessThanOrEqual(11);
});

it('runs as written against the demo, twice', { ...OPENS_BY_PATH, ...DEEP }, async () => {
  const demo = await openDemo({ open: false, ports: {} });
  onTestFinished(() => demo.close());
  const folder = await tempFolder();
  await mkdir(join(folder, 'bin'));
  await writeFile(join(folder, 'bin/xdg-open'), BROWSER, { mode: 0o755 });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'example.ts'), await exampleOf('packages/runtime/README.md'));
  for (const _round of [1, 2]) {
    const { out, code } = await run(folder, ['example.ts'], demo.store);
    expect({ out, code }).toEqual({ out: expect.stringContaining('Buy tea'), code: 0 });
  }
  // The other example hands a file to a call.
  await writeFile(join(folder, 'board.png'), await readFile(join(ROOT, PICTURE)));
  await writeFile(join(folder, 'hand-file.ts'), await readFile(join(ROOT, 'examples/client/hand-file.ts')));
  const handed = await run(folder, ['hand-file.ts', 'board.png'], demo.store);
  expect(handed).toEqual({ out: expect.stringContaining('From a file'), code: 0 });
});
