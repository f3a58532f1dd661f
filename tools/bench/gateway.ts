import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { footprintOf } from '@svc/permissions';
import { defaultSystem } from '@svc/runtime';
import { createEvents, createLibrary, MCP_APPS, openLibraryStorage, PAGE_TYPE } from '@svc/runtime/parts';
import { sampleFiles, sampleManifest } from '@svc/testkit';
import { agentBearer } from '../../apps/desktop/src/gateway/agent-bearer.ts';
import { openDesktop } from '../../apps/desktop/src/open-desktop.ts';
import type { Figure } from './lib/figure.ts';
import { whileMcpServes } from './lib/mcp-server.ts';
import { inTempFolder, median, percentile, ROOT } from './lib/processes.ts';
import { took } from './lib/took.ts';
import { TYPICAL } from './lib/typical-app.ts';

const APPS = 200;
const LISTS = 30;
const CALLS = 200;
const WARM_UP = 50;
const PANELS = 10;

/** Simulated duration of a call at the server in milliseconds; real servers take longer. */
const WORK_MS = 30;

/** Characters of the script of a panel, in modules of this many functions. */
const PANEL_CHARACTERS = 1024 * 1024;
const FUNCTIONS = 200;

/** A panel of 1 MiB, as modules of some 20 KiB. */
function panelFiles(): Record<string, string> {
  const moduleOf = (n: number) =>
    Array.from(
      { length: FUNCTIONS },
      (_, m) =>
        `export function draw${n}_${m}(note) {\n  const { title = 'Untitled', at } = note;\n  return [title, at, ${m}].join(' ');\n}\n`,
    ).join('\n');
  const modules = Array.from(
    { length: Math.ceil(PANEL_CHARACTERS / moduleOf(10).length) },
    (_, n) => [`ui/part-${n}.js`, moduleOf(n)] as const,
  );
  const imports = modules.map(([name], n) => `import { draw${n}_0 } from './${name.slice(3)}';`);
  return {
    ...Object.fromEntries(modules),
    'ui/index.html': '<!doctype html><title>Notes</title><script type="module" src="panel.js"></script>',
    'ui/panel.js': `${imports.join('\n')}\ndocument.title = draw0_0({ at: 1 });\n`,
  };
}

/** The folder of an app with the two tools of the server, and a panel. */
async function writeApp(folder: string, mcpUrl: string): Promise<void> {
  const tools = ['now', 'later'].map((id) => ({ id, name: id, description: `Answers ${id}.` }));
  const panels = [{ id: 'main', title: 'Notes', component: 'webview' as const }];
  const manifest = sampleManifest({ contributes: { tools, panels }, remote: { mcpUrl, domains: [] } });
  const files = [...sampleFiles(manifest), ...Object.entries(panelFiles())];
  for (const [name, bytes] of files) {
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
      yanked: null,
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

async function connect(url: string, headers: Record<string, string> = {}, fetchAs = fetch): Promise<Client> {
  const client = new Client(
    { name: 'claude-code', version: '1.0.0' },
    { versionNegotiation: { mode: 'auto' } },
  );
  const options = { requestInit: { headers }, fetch: fetchAs };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), options));
  return client;
}

/** A desktop, and an agent connected to its gateway. */
async function withAgent<T>(
  folder: string,
  work: (agent: Client, opened: Awaited<ReturnType<typeof openIn>>) => Promise<T>,
  fetchAs = fetch,
): Promise<T> {
  const opened = await openIn(folder);
  const authorization = `Bearer ${await agentBearer(folder)}`;
  const agent = await connect(`${opened.desktop.origin}/mcp?tools=all`, { authorization }, fetchAs);
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

/** A panel that an agent reads through the program that it starts, for the first time and again. */
async function panelFigures(folder: string): Promise<Figure[]> {
  const capabilities = { extensions: { [MCP_APPS]: { mimeTypes: [PAGE_TYPE] } } };
  const agent = new Client({ name: 'claude-code', version: '1.0.0' }, { capabilities });
  const args = [join(ROOT, 'apps/desktop/src/main.ts'), 'gateway', '--folder', folder];
  await agent.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'inherit' }));
  try {
    const [panel] = (await agent.listResources()).resources;
    let characters = 0;
    const read = async () => {
      const { contents } = await agent.readResource({ uri: panel?.uri ?? '' });
      characters = JSON.stringify(contents).length;
    };
    const first = await took(read);
    const again: number[] = [];
    for (let n = 0; n < PANELS; n += 1) again.push(await took(read));
    const measured = `a document of ${(characters / 2 ** 20).toFixed(2)} MiB as JSON`;
    const name = 'A panel of 1 MiB through `svc gateway`, until an agent has it whole';
    const bound = { most: 300 };
    return [
      { name: `${name}, the first time: it is linked`, measured, value: first, unit: ' ms', bound },
      { name: `${name}, again`, measured, value: median(again), unit: ' ms', bound },
    ];
  } finally {
    await agent.close();
  }
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
        const panel = await panelFigures(folder);
        return [
          {
            name: `A tool call through the gateway against the bare official client, with a server that works for ${WORK_MS} ms, p50`,
            measured: `${later.ours.toFixed(1)} ms against ${later.theirs.toFixed(1)} ms`,
            value: later.ours / later.theirs,
            unit: ' times',
            bound: { most: 1.1 },
          },
          {
            name: 'The same with a server that responds immediately: overhead of the gateway, one more HTTP hop',
            measured: `${now.ours.toFixed(2)} ms against ${now.theirs.toFixed(2)} ms`,
            value: now.ours - now.theirs,
            unit: ' ms',
            bound: { most: 6 },
          },
          ...panel,
        ];
      }),
    ),
  );
}

/** Listing the tools of many apps through the gateway, whose servers were never contacted: until the last byte of its response. */
const listFigures = (): Promise<Figure[]> =>
  inTempFolder(async (folder) => {
    await fill(folder);
    const times: number[] = [];
    const timed: typeof fetch = async (...request) => {
      const started = performance.now();
      const response = await fetch(...request);
      // A stream for notifications has no end.
      if (!response.headers.get('content-type')?.includes('json')) return response;
      const text = await response.text();
      times.push(performance.now() - started);
      return new Response(text, response);
    };
    const work = async (agent: Client): Promise<Figure[]> => {
      times.length = 0;
      const { tools } = await agent.listTools();
      for (let n = 0; n < LISTS; n += 1) await agent.listTools(undefined, { cacheMode: 'refresh' });
      const [first = Number.NaN, ...later] = times;
      const value = median(later);
      const bound = { most: 50 };
      const name = `tools/list of the gateway over ${APPS} apps with ${tools.length} tools`;
      return [
        { name: `First ${name}`, measured: `${first.toFixed(1)} ms`, value: first, unit: ' ms', bound },
        { name, measured: `${value.toFixed(1)} ms`, value, unit: ' ms', bound },
      ];
    };
    return withAgent(folder, work, timed);
  });

/** Latency of the gateway for an agent. */
export const gateway = async (): Promise<Figure[]> => [...(await callFigures()), ...(await listFigures())];
