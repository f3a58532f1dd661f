import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bareEnvironment, DEEP, TIMEOUT_MS } from '@svc/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { NEEDS_BROWSER, openBrowser } from '../apps/web/test/support/real-browser.ts';
import { tempFolder } from '../packages/runtime/test/support/temp-folder.ts';
import { openDemo } from '../tools/demo/open-demo.ts';

const ROOT = join(import.meta.dirname, '..');
const FILES = ['examples/client/client.ts', 'examples/client/page/page.js'];

/** Replaces the browser opener of the system: a program that signs in on the given page. */
const OPENER = `#!${process.execPath}
const { openBrowser } = await import(${JSON.stringify(join(ROOT, 'examples/pinboard/test/support/person.ts'))});
const { url } = await openBrowser().signIn(process.argv[2], { name: 'Ada' });
await (await fetch(url)).body?.cancel();
`;

/** Starts the client, and waits for the URL that it prints. */
async function startClient(store: string): Promise<string> {
  const folder = await tempFolder();
  await mkdir(join(folder, 'bin'));
  await writeFile(join(folder, 'bin/xdg-open'), OPENER, { mode: 0o755 });
  const bare = bareEnvironment();
  const env = { ...bare, DISPLAY: ':0', PATH: `${join(folder, 'bin')}:${bare.PATH}` };
  const child = spawn(process.execPath, [join(ROOT, 'examples/client/client.ts')], {
    env: { ...env, SVC_STORE: store, SVC_FOLDER: join(folder, 'client') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return line.replace('Open ', '');
}

it('has at most sixty lines', async () => {
  const texts = await Promise.all(FILES.map((file) => readFile(join(ROOT, file), 'utf8')));
  const lines = texts.flatMap((text) => text.split('\n')).filter((line) => line.trim() !== '');
  expect(lines.length).toBeLessThanOrEqual(60);
});

it('installs an app, connects its account, calls a tool and shows a panel', {
  ...DEEP,
  ...NEEDS_BROWSER,
}, async () => {
  const demo = await openDemo({ open: false, ports: {} });
  onTestFinished(() => demo.close());
  const address = await startClient(demo.store);
  const browser = await openBrowser();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  await page.goto(address);
  const yesTo = async (kind: string) => {
    await page.getByText(`"kind": "${kind}"`).waitFor();
    await page.getByRole('button', { name: 'Yes' }).click();
  };

  await page.getByRole('button', { name: 'Install' }).click();
  await yesTo('consent');
  await page.getByText('Pinboard is installed.').waitFor();

  await page.getByLabel('Tool').selectOption('pin_note');
  await page.getByLabel('Arguments').fill('{ "text": "Buy tea" }');
  await page.getByRole('button', { name: 'Call' }).click();
  await yesTo('connect');
  await expect.poll(() => page.locator('#said').textContent()).toContain('Buy tea');

  const panel = page.frameLocator('svc-panel iframe').frameLocator('iframe');
  await panel.getByText('Buy tea').waitFor();
  expect(faults).toEqual([]);
});
