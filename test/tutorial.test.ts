import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { README_TEMPLATE } from '@svc/contracts/vocabulary';
import { DEEP, ownProgram } from '@svc/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { BROWSER } from '../apps/web/test/support/real-browser.ts';
import { openApp, openInBrowser } from '../examples/pinboard/test/support/panel-client.ts';
import { picture } from '../examples/pinboard/test/support/pictures.ts';
import { tempFolder } from '../packages/runtime/test/support/temp-folder.ts';

const ROOT = join(import.meta.dirname, '..');
const APP = 'com.example.clippings';
const PORT = 'localhost:4700';

type Block = { file: string | null; language: string; code: string };

/** The code blocks of a page, each with the file that is named on the line before it. */
function blocksOf(page: string): Block[] {
  const found = page.matchAll(/(?:^`([^`\n]+)`\n\n)?^```(\w+)\n([\s\S]*?)^```$/gm);
  return [...found].map(([, file, language = '', code = '']) => ({ file: file ?? null, language, code }));
}

/** Merges changes into a manifest: objects are merged, also in lists of equal length; other values are replaced. */
function merged(value: unknown, change: unknown): unknown {
  if (Array.isArray(change) && Array.isArray(value) && change.length === value.length) {
    return change.map((one, index) => merged(value[index], one));
  }
  if (typeof change !== 'object' || change === null || Array.isArray(change)) return change;
  const base = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const parts = Object.entries(change).map(([name, part]) => [name, merged(base[name], part)]);
  return { ...base, ...Object.fromEntries(parts) };
}

async function change(file: string, to: (before: string) => string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, to(await readFile(file, 'utf8').catch(() => '')));
}

/** Runs a command of the page with the `svc` of this repository. */
async function run(cwd: string, command: string): Promise<{ code: number; out: string }> {
  const [name, ...args] = command.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', '')) ?? [];
  expect(name).toBe('svc');
  const program = spawn(process.execPath, [ownProgram('svc'), ...args], { cwd });
  const [out, errors, [code]] = await Promise.all([
    text(program.stdout),
    text(program.stderr),
    once(program, 'exit') as Promise<[number]>,
  ]);
  return { code, out: out + errors };
}

async function startServer(folder: string): Promise<string> {
  const env = { ...process.env, PORT: '0' };
  const server = spawn(process.execPath, ['main.ts'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void server.kill('SIGKILL'));
  const [line] = (await once(server.stdout.setEncoding('utf8'), 'data')) as [string];
  return new URL(line.replace('MCP server: ', '').trim()).host;
}

it('builds the app of the tutorial, command by command and file by file, and runs it', {
  ...DEEP,
  timeout: 90_000,
}, async () => {
  const blocks = blocksOf(await readFile(join(ROOT, 'docs/tutorial.md'), 'utf8'));
  const commands = blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ code }) => code.trim().split('\n'));
  const there = await tempFolder();
  const folder = join(there, 'clippings');
  const command = (beginning: string) =>
    commands.find((one) => one.startsWith(beginning)) ?? expect.fail(beginning);
  expect(await run(there, command('svc init'))).toMatchObject({ code: 0 });
  expect(await run(there, command('svc validate clippings/app --mode dev'))).toMatchObject({ code: 0 });

  execFileSync('sh', ['-c', command('cp -r ../parts/server')], { cwd: join(folder, 'server') });
  execFileSync('sh', ['-c', command('cp clippings/parts/app')], { cwd: there });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'server/node_modules'));
  const manifest = join(folder, 'app/plugin.json');
  for (const { file, language, code } of blocks) {
    if (file !== null) await change(join(folder, file), () => code);
    if (language !== 'json') continue;
    await change(manifest, (before) => JSON.stringify(merged(JSON.parse(before), JSON.parse(code)), null, 2));
  }
  expect(await run(there, 'svc validate clippings/app --mode dev')).toMatchObject({ code: 0 });

  const host = await startServer(join(folder, 'server'));
  await change(manifest, (before) => before.replaceAll(PORT, host));
  await change(join(folder, 'app/ui/app.js'), (before) => before.replaceAll(PORT, host));
  const client = BROWSER === undefined ? null : await openInBrowser(join(folder, 'app'));
  const { runtime, app, cards } = client ?? (await openApp(join(folder, 'app')));
  const files = { picture: [{ name: 'a.png', bytes: await picture({}, 'png') }] };
  const inChat = { project: 'p', chat: 'c' };
  await runtime.call(APP, { tool: 'keep_clipping', arguments: {}, files, ...inChat });
  expect(cards.map(({ kind }) => kind)).toEqual(['connect', 'approval']);
  const listed = await runtime.call(APP, { tool: 'list_clippings', arguments: {}, ...inChat });
  expect(listed.structured).toEqual({ clippings: [{ name: 'a.png', type: 'image/png' }] });

  // The request of the panel, with the token that it receives.
  const token = await runtime.accounts.token(app, 'clippings', { host: 'localhost', tool: 'panel' });
  const answer = await fetch(`http://${host}/clippings`, { headers: { authorization: `Bearer ${token}` } });
  expect(await answer.json()).toMatchObject([{ name: 'a.png', type: 'image/png' }]);
  expect((await fetch(`http://${host}/clippings`)).status).toBe(401);

  const shown = await client?.show('main', 'dark');
  await shown?.frame.getByText('1 kept.').waitFor();
  expect(
    await shown?.frame.evaluate('document.images[0].decode().then(() => document.images[0].naturalWidth)'),
  ).toBe(shown && 400);

  // With a public URL, the checks find no problems, and the app can be packed.
  for (const file of [manifest, join(folder, 'app/ui/app.js')]) {
    await change(file, (before) =>
      before
        .replaceAll(/http:\/\/localhost:\d+/g, 'https://clippings.example.com')
        .replaceAll('at localhost', 'at clippings.example.com'),
    );
  }
  const readme = join(folder, 'app/README.md');
  await change(readme, (before) => before.replace(README_TEMPLATE, 'Drop a picture on the tool.'));
  expect(commands).toContain('svc validate clippings/app');
  const checked = await run(there, 'svc validate clippings/app');
  expect(checked).toEqual({ code: 0, out: 'clippings/app: no problems\n' });
  expect(await run(there, command('svc pack'))).toMatchObject({ code: 0 });
});
