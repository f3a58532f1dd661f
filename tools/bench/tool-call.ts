import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { footprintOf } from '@svc/permissions';
import { defaultSystem, type InstalledApp } from '@svc/runtime';
import { createCalls, createEvents } from '@svc/runtime/parts';
import { sampleManifest } from '@svc/testkit';
import type { Figure } from './lib/figure.ts';
import { whileMcpServes } from './lib/mcp-server.ts';
import { percentile } from './lib/processes.ts';
import { took } from './lib/took.ts';

const CALLS = 1_000;
const WARM_UP = 500;

const TOKEN = 'benchmark-token-0123456789';

function appAt(mcpUrl: string): InstalledApp {
  const manifest = sampleManifest({
    contributes: { tools: [{ id: 'now', name: 'Now', description: 'Tells the time.', account: 'bench' }] },
    accounts: [{ id: 'bench', label: 'Bench', clientId: 'c', scopes: [] }],
    remote: { mcpUrl, domains: [] },
  });
  const { id: appId, version } = manifest;
  const source = { kind: 'developer', folder: '.' } as const;
  return { appId, version, manifest, consent: footprintOf(manifest), source, on: true, yanked: null };
}

/** The runtime, with a connected account. */
function openRuntime(mcpUrl: string) {
  const app = appAt(mcpUrl);
  const calls = createCalls({
    system: defaultSystem,
    events: createEvents(() => undefined),
    ask: async () => ({ accepted: false }),
    tokens: {
      ready: async () => true,
      underWay: () => null,
      signInDetails: async () => ({ host: null, scopes: [] }),
      connect: async () => undefined,
      token: async () => TOKEN,
      refreshAfter401: async () => null,
    },
    storage: { keep: () => Promise.reject(new Error('nothing is kept')) },
    prepare: () => Promise.reject(new Error('nothing is prepared')),
    client: { name: 'bench', version: '1.0.0' },
  });
  const call = () => calls.call(app, { tool: 'now', arguments: {}, project: 'p', chat: 'c' });
  return { call, stop: () => calls.stop() };
}

/** The bare official client, with the same protocol revision, token and capabilities: a server validates those of each call. */
async function openBare(url: string) {
  const capabilities = { elicitation: { form: { applyDefaults: true } } };
  const client = new Client(
    { name: 'bench', version: '1.0.0' },
    { capabilities, versionNegotiation: { mode: 'auto' } },
  );
  client.setRequestHandler('elicitation/create', async () => ({ action: 'decline' }));
  const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return { call: () => client.callTool({ name: 'now', arguments: {} }), stop: () => client.close() };
}

/** Alternates both ways to call a tool. @returns milliseconds of each call */
async function compare(url: string) {
  const [runtime, bare] = [openRuntime(url), await openBare(url)];
  const times = { runtime: [] as number[], bare: [] as number[] };
  for (let n = -WARM_UP; n < CALLS; n += 1) {
    const one = { bare: await took(bare.call), runtime: await took(runtime.call) };
    if (n < 0) continue;
    times.bare.push(one.bare);
    times.runtime.push(one.runtime);
  }
  await runtime.stop();
  await bare.stop();
  return times;
}

/** A call of a tool through the runtime against one by the bare official client, to the same server. */
export async function toolCall(): Promise<Figure> {
  const times = await whileMcpServes({ now: 0 }, compare);
  const [ours, theirs] = [percentile(times.runtime, 0.5), percentile(times.bare, 0.5)];
  return {
    name: 'A tool call through the runtime against the bare official client, p50',
    measured: `${ours.toFixed(2)} ms against ${theirs.toFixed(2)} ms`,
    value: ours / theirs,
    unit: ' times',
    bound: { most: 1.15 },
  };
}
