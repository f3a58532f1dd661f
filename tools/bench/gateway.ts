import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { footprintOf } from '@svc/permissions';
import { defaultSystem } from '@svc/runtime';
import { createEvents, createLibrary, openLibraryStorage } from '@svc/runtime/parts';
import { sampleFiles, sampleManifest } from '@svc/testkit';
import { agentBearer } from '../../apps/desktop/src/gateway/agent-bearer.ts';
import { openDesktop } from '../../apps/desktop/src/open-desktop.ts';
import type { Figure } from './lib/figure.ts';
import { whileMcpServes } from './lib/mcp-server.ts';
import { inTempFolder, median, percentile } from './lib/processes.ts';
import { took } from './lib/took.ts';
import { TYPICAL } from './lib/typical-app.ts';

const APPS = 200;
const LISTS = 30;
const CALLS = 200;
const WARM_UP = 50;

/** Simulated duration of a call at the server in milliseconds; real servers take longer. */
const WORK_MS = 30;

/** The folder of an app with the two tools of the server. */
async function writeApp(folder: string, mcpUrl: string): Promise<void> {
  const tools = ['now', 'later'].map((id) => ({ id, name: id, description: `Answers ${id}.` }));
  const manifest = sampleManifest({ contributes: { tools }, remote: { mcpUrl, domains: [] } });
  for (const [name, bytes] of sampleFiles(manifest)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), bytes);
  }
}

/** Typical store apps, whose servers do not exist: listing tools must not contact them. */
async function fill(folder: string): Promise<void> {
  const storage = await openLibraryStorage(defaultSystem, folder);
  const client = { platform: process.platform, arch: process.arch, builtInApps: [] };
  const library = createLibrary({ storage, events: createEvents(() => undefined), client });
  for (let n = 0; n < APPS; n += 1) {
    const manifest = { ...TYPICAL, id: `com.example.app-${n}` };
    const made = { sha256: n.toString(16).padStart(64, '0'), publishedAt: '2026-01-01T00:00:00.000Z' };
    library.addConnector({
      appId: manifest.id,
      version: manifest.version,
      manifest,
      consent: footprintOf(manifest),
      source: { kind: 'store', store: 'http://127.0.0.1:1', keyId: 'bench', ...made },
      on: true,
      withdrawn: null,
    });
  }
  storage.close();
}

const openIn = (folder: string) =>
  openDesktop({
    folder,
    system: defaultSystem,
    store: 'http://127.0.0.1:1',
    port: 0,
    pageFolder: join(folder, 'no-page'),
    client: { name: 'bench', version: '1.0.0', platform: process.platform, arch: process.arch },
    keys: [{ kind: 'key-file', file: join(folder, 'key') }],
    openPage: async () => false,
    connecting: { lookUp: () => Promise.reject(new Error('Nobody is there.')) },
    onFault: (error) => {
      throw error;
    },
  });

async function connect(url: string, headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client(
    { name: 'claude-code', version: '1.0.0' },
    { versionNegotiation: { mode: 'auto' } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

/** A desktop, and an agent connected to its gateway. */
async function withAgent<T>(
  folder: string,
  work: (agent: Client, opened: Awaited<ReturnType<typeof openIn>>) => Promise<T>,
): Promise<T> {
  const opened = await openIn(folder);
  const authorization = `Bearer ${await agentBearer(folder)}`;
  const agent = await connect(`${opened.desktop.origin}/mcp?tools=all`, { authorization });
  try {
    return await work(agent, opened);
  } finally {
    await agent.close();
    await opened.close();
  }
}

/** Alternates both ways to call a tool. @returns the medians in milliseconds */
async function compare(tool: string, agent: Client, bare: Client) {
  const times = { ours: [] as number[], theirs: [] as number[] };
  for (let n = -WARM_UP; n < CALLS; n += 1) {
    const theirs = await took(() => bare.callTool({ name: tool, arguments: {} }));
    const ours = await took(() => agent.callTool({ name: `com_example_notes__${tool}`, arguments: {} }));
    if (n < 0) continue;
    times.ours.push(ours);
    times.theirs.push(theirs);
  }
  return { ours: percentile(times.ours, 0.5), theirs: percentile(times.theirs, 0.5) };
}

/** A call of a tool through the gateway against one by the bare official client, to the same server. */
async function callFigures(): Promise<Figure[]> {
  return whileMcpServes({ now: 0, later: WORK_MS }, (url) =>
    inTempFolder((folder) =>
      withAgent(folder, async (agent, { folders }) => {
        await writeApp(join(folder, 'app'), url);
        await folders.open(join(folder, 'app'));
        const bare = await connect(url);
        const later = await compare('later', agent, bare);
        const now = await compare('now', agent, bare);
        await bare.close();
        return [
          {
            name: `A tool call through the gateway against the bare official client, with a server that works for ${WORK_MS} ms, p50`,
            measured: `${later.ours.toFixed(1)} ms against ${later.theirs.toFixed(1)} ms`,
            value: later.ours / later.theirs,
            unit: ' times',
            bound: { most: 1.3 },
          },
          {
            name: 'The same with a server that responds immediately: overhead of the gateway, one more HTTP hop',
            measured: `${now.ours.toFixed(2)} ms against ${now.theirs.toFixed(2)} ms`,
            value: now.ours - now.theirs,
            unit: ' ms',
            bound: { most: 6 },
          },
        ];
      }),
    ),
  );
}

/** Listing the tools of many apps through the gateway, whose servers were never contacted. */
const listFigures = (): Promise<Figure[]> =>
  inTempFolder(async (folder) => {
    await fill(folder);
    return withAgent(folder, async (agent) => {
      let tools = 0;
      const first = await took(async () => {
        tools = (await agent.listTools()).tools.length;
      });
      const times: number[] = [];
      for (let n = 0; n < LISTS; n += 1) times.push(await took(() => agent.listTools()));
      const value = median(times);
      const bound = { most: 50 };
      const name = `tools/list of the gateway over ${APPS} apps with ${tools} tools`;
      return [
        { name: `First ${name}`, measured: `${first.toFixed(1)} ms`, value: first, unit: ' ms', bound },
        { name, measured: `${value.toFixed(1)} ms`, value, unit: ' ms', bound },
      ];
    });
  });

/** Latency of the gateway for an agent. */
export const gateway = async (): Promise<Figure[]> => [...(await callFigures()), ...(await listFigures())];
