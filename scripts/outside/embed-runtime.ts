import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../release/targets.ts';
import { cleanEnv, type Installed } from '../release/try-package.ts';

type Page = typeof import('@svc/runtime/page');

const PINBOARD = 'com.example.pinboard';

/** What opens pages on this machine: a program that signs in on the pages it is sent to. */
const OPENER = `#!${process.execPath}
const { openBrowser } = await import(${JSON.stringify(join(ROOT, 'examples/pinboard/test/support/person.ts'))});
const { url } = await openBrowser().signIn(process.argv[2], { name: 'Ada' });
await (await fetch(url)).body?.cancel();
`;

/** Starts the example client beside the installed runtime. @returns the address of its page */
async function startClient({ folder, home }: Installed, node: string, store: string) {
  await cp(join(ROOT, 'examples/client'), join(folder, 'client'), { recursive: true });
  const bin = join(folder, 'bin');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, 'xdg-open'), OPENER, { mode: 0o755 });
  const clean = cleanEnv(home);
  const env = { ...clean, PATH: `${bin}:${clean.PATH}`, DISPLAY: ':0', SVC_STORE: store };
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', 'client/client.ts'], {
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

/** What an address under `localhost` answers. Browsers lead such names to this machine; the system need not. */
async function statusOf(address: string): Promise<number | undefined> {
  const { host, port, pathname, search } = new URL(address);
  const asked = get({ host: '127.0.0.1', port, path: pathname + search, headers: { host } });
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode;
}

/** Runs the client of sixty lines under one Node, and does what its user would. @throws when anything does not work */
export async function embedRuntime(installed: Installed, node: string, store: string): Promise<void> {
  const entry = join(installed.folder, 'node_modules/@svc/runtime/src/page.js');
  const { connectPage } = (await import(pathToFileURL(entry).href)) as Page;
  const { child, address } = await startClient(installed, node, store);
  try {
    const asked: string[] = [];
    const page = await connectPage({
      key: address.hash.slice(1),
      path: `${address.origin}/svc`,
      async ask(card) {
        asked.push(card.kind);
        return { accepted: true, binding: card.binding };
      },
    });
    await page.call('install', PINBOARD);
    const tools = (await page.call('tools')) as { name: string; tool: string }[];
    const name = tools.find(({ tool }) => tool === 'pin_note')?.name;
    const said = JSON.stringify(await page.call('call', { name, input: { text: 'Buy tea' } }));
    if (!said.includes('Buy tea')) throw new Error(`The tool answers ${said}.`);
    const wish = {
      appId: PINBOARD,
      panelId: 'board',
      project: 'project-1',
      theme: 'dark',
      locale: 'en',
    } as const;
    const { frame } = await page.openPanel(wish);
    const shown = await statusOf(frame.address);
    if (shown !== 200) throw new Error(`The panel answers ${shown}.`);
    if (asked.join() !== 'consent,connect') throw new Error(`The client asked ${asked.join()}.`);
    page.close();
  } finally {
    child.kill('SIGTERM');
  }
}
