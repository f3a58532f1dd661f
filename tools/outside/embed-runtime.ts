import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { cleanEnv, type Installed } from '../release/install-alone.ts';
import { ROOT } from '../release/targets.ts';

type Page = typeof import('@svc/runtime/page');

const PINBOARD = 'com.example.pinboard';

/** Replaces the browser opener of the system: a program that signs in on the given page. */
const OPENER = `#!${process.execPath}
const { openBrowser } = await import(${JSON.stringify(join(ROOT, 'examples/pinboard/test/support/person.ts'))});
const { url } = await openBrowser().signIn(process.argv[2], { name: 'Ada' });
await (await fetch(url)).body?.cancel();
`;

/** A program that runs TypeScript, and its arguments before the file. */
export type Command = { program: string; args: readonly string[] };

/** Copies the examples next to the installed runtime. @returns an environment in which a program signs in at pages that are opened */
async function besideRuntime({ folder, home }: Installed, store: string): Promise<NodeJS.ProcessEnv> {
  await cp(join(ROOT, 'examples/client'), join(folder, 'client'), { recursive: true });
  const bin = join(folder, 'bin');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, 'xdg-open'), OPENER, { mode: 0o755 });
  const clean = cleanEnv(home);
  return { ...clean, PATH: `${bin}:${clean.PATH}`, DISPLAY: ':0', SVC_STORE: store };
}

/** Starts the example client next to the installed runtime. @returns the URL of its page */
async function startClient(installed: Installed, node: Command, store: string) {
  const { folder, home } = installed;
  const env = await besideRuntime(installed, store);
  const child = spawn(node.program, [...node.args, 'client/client.ts'], {
    cwd: folder,
    env: { ...env, SVC_FOLDER: join(home, `client-${Date.now()}`) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    once(child, 'exit').then(() => Promise.reject(new Error('The example client ended.'))),
  ])) as [string];
  return { child, address: new URL(line.replace('Open ', '')) };
}

/** The status of a URL under `localhost`. Browsers resolve such names to this machine; the system resolver may not. */
async function statusOf(address: string): Promise<number | undefined> {
  const { host, port, pathname, search } = new URL(address);
  const outgoing = get({ host: '127.0.0.1', port, path: pathname + search, headers: { host } });
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode;
}

/** Runs the example client under one version of Node, Bun or Deno, and uses it. @throws when anything fails */
export async function embedRuntime(installed: Installed, node: Command, store: string): Promise<void> {
  const entry = join(installed.folder, 'node_modules/@svc/runtime/src/page.js');
  const { connectPage } = (await import(pathToFileURL(entry).href)) as Page;
  const { child, address } = await startClient(installed, node, store);
  try {
    const prompts: string[] = [];
    const page = await connectPage({
      key: address.hash.slice(1),
      path: `${address.origin}/svc`,
      async ask(card) {
        prompts.push(card.kind);
        return { accepted: true, binding: card.binding };
      },
    });
    await page.call('install', PINBOARD);
    const tools = (await page.call('tools')) as { name: string; tool: string }[];
    const name = tools.find(({ tool }) => tool === 'pin_note')?.name;
    const result = JSON.stringify(await page.call('call', { name, input: { text: 'Buy tea' } }));
    if (!result.includes('Buy tea')) throw new Error(`The tool returned ${result}.`);
    const request = {
      appId: PINBOARD,
      panelId: 'board',
      project: 'project-1',
      theme: 'dark',
      locale: 'en',
    } as const;
    const { frame } = await page.openPanel(request);
    const status = await statusOf(frame.address);
    if (status !== 200) throw new Error(`The panel responds with ${status}.`);
    if (prompts.join() !== 'consent,connect') throw new Error(`The client asked ${prompts.join()}.`);
    page.close();
  } finally {
    child.kill('SIGTERM');
  }
}

/** Runs the example with two bots, which share a PostgreSQL database. @throws when the second cannot call what the first installed */
export async function embedBots(
  installed: Installed,
  node: Command,
  { store, database }: { store: string; database: string },
): Promise<void> {
  const env = await besideRuntime(installed, store);
  const child = spawn(node.program, [...node.args, 'client/bots.ts'], {
    cwd: installed.folder,
    env: { ...env, BOT_DATABASE: database },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const out = await text(child.stdout);
  if (!out.includes('From the second bot')) throw new Error(`The second bot printed ${out}.`);
}

/** The bytes of all files below a folder. */
async function bytesBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(({ parentPath, name }) => stat(join(parentPath, name))));
  return sizes.reduce((sum, { size }) => sum + size, 0);
}

/** How much the README may be wrong. */
const TOLERANCE = 0.1;

/**
 * Compares the sizes in the README of the runtime with those of its tarball and of an installation.
 * @returns what it measured, in MiB
 * @throws when the README is wrong by more than a tenth
 */
export async function checkSizes(installed: Installed, tarball: string): Promise<string> {
  const measured = [(await stat(tarball)).size, await bytesBelow(join(installed.folder, 'node_modules'))];
  const [packed = 0, whole = 0] = measured.map((bytes) => bytes / 1024 ** 2);
  const said = `${packed.toFixed(1)} MiB, and ${whole.toFixed(0)} MiB with all dependencies`;
  const readme = await readFile(join(ROOT, 'packages/runtime/README.md'), 'utf8');
  const written = readme.split(' MiB').map((before) => Number(before.split(/\s/).at(-1)));
  const isRight = [packed, whole].every(
    (size, at) => Math.abs((written[at] ?? 0) - size) <= Math.max(size * TOLERANCE, 0.05),
  );
  if (!isRight) throw new Error(`The README of the runtime names other sizes: write “${said}”.`);
  return said;
}
