import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { apiRequest } from '@svc/contracts/client';
import { freePort } from '@svc/testkit';

import { ADMIN_TOKEN, inTempFolder, publishApps, ROOT, whileStoreRuns } from './lib/processes.ts';

const APP = 'com.example.app-0';
const DESKTOP = join(ROOT, 'apps/desktop/src/main.ts');

/** The link to the page that a desktop prints. */
const LINK = /localhost:(\d+)\/#key=([\w-]+)/;

type Call = <Out>(name: string, input: object) => Promise<Out>;

/** Starts a desktop, and returns how its page calls it. */
export async function startDesktop(folder: string, store: string) {
  const words = ['desktop', '--no-open', '--key-file', '--folder', folder, '--store', store];
  const child = spawn(process.execPath, [DESKTOP, ...words], {
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
    const found = LINK.exec(said);
    if (found) resolve(found);
  });
  child.once('exit', (code) => reject(new Error(`The desktop exited with ${code}: ${said}`)));
  const [, port, key] = await promise;
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  const url = `http://127.0.0.1:${port}`;
  const call: Call = async (name, input) => {
    const body = JSON.stringify(input);
    const answer = await fetch(`${url}/api/${name}`, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`${name} answers ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as never;
  };
  headers.authorization = `Bearer ${(await call<{ bearer: string }>('session.open', { key })).bearer}`;
  return { url, pid: child.pid ?? 0, call, stop: () => child.kill('SIGKILL') };
}

/** Starts the gateway as an agent does. */
async function startGateway(folder: string, store: string) {
  const agent = new Client({ name: 'claude-code', version: '1.0.0' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [DESKTOP, 'gateway', '--folder', folder, '--store', store],
    env: { PATH: process.env.PATH ?? '', HOME: folder },
    stderr: 'inherit',
  });
  await agent.connect(transport);
  return {
    stop: () => agent.close(),
    /** How many tools of the app it offers. */
    offered: async () => (await agent.listTools()).tools.filter(({ name }) => name.includes('app-0')).length,
  };
}

async function installWith(call: Call): Promise<void> {
  type Prepared = { sheetId: string; sheet: { binding: string } };
  const { sheetId, sheet } = await call<Prepared>('store.prepare', { appId: APP });
  await call('store.install', { sheetId, answer: { accepted: true, binding: sheet.binding } });
}

async function yank(store: string): Promise<void> {
  const params = { appId: APP, version: '1.0.0' };
  const json = { reason: 'This is a drill.' };
  const { method, path } = apiRequest('POST /api/apps/:appId/versions/:version/yank', { params, json });
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' };
  const answer = await fetch(store + path, { method, headers, body: JSON.stringify(json) });
  if (!answer.ok) throw new Error(`The yank answers ${answer.status}: ${await answer.text()}`);
}

/**
 * A yank with each part as a program of its own: the store, a desktop, and the gateway that an agent starts. The store is killed with SIGKILL
 * once it has answered the yank, before a client knows of it, and started again.
 * @returns what the client knew at each step, and the milliseconds from the yank until the app was off everywhere
 */
export function drillWithPrograms() {
  return inTempFolder(async (folder) => {
    const port = await freePort();
    const store = `http://localhost:${port}`;
    const env = { PORT: String(port), SVC_BASE_URL: store };
    const data = join(folder, 'store');
    const client = join(folder, 'desktop');
    const parts: { stop(): unknown }[] = [];
    const started = <T extends { stop(): unknown }>(part: T): T => {
      parts.push(part);
      return part;
    };
    try {
      const { desktop, gateway, before, yankedAt } = await whileStoreRuns(
        data,
        async () => {
          await publishApps(store, 1);
          const desktop = started(await startDesktop(client, store));
          await installWith(desktop.call);
          const gateway = started(await startGateway(client, store));
          const before = await gateway.offered();
          const yankedAt = performance.now();
          await yank(store);
          return { desktop, gateway, before, yankedAt };
        },
        env,
      );
      type Report = { refused: string | null };
      const isOff = async () => {
        const { apps } = await desktop.call<{ apps: { yanked: object | null }[] }>('apps.list', {
          project: 'default',
        });
        return apps.some(({ yanked }) => yanked !== null);
      };
      const { refused } = await desktop.call<Report>('apps.checkRevocations', {});
      const whileDown = { refused, off: await isOff(), offered: await gateway.offered() };
      const restartedAt = performance.now();
      return await whileStoreRuns(
        data,
        async () => {
          const upMs = performance.now() - restartedAt;
          await desktop.call('apps.checkRevocations', {});
          const after = { off: await isOff(), offered: await gateway.offered() };
          return { before, whileDown, after, upMs, ms: performance.now() - yankedAt };
        },
        env,
      );
    } finally {
      for (const part of parts.reverse()) await part.stop();
    }
  });
}
