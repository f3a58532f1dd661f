import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { footprintOf } from '@svc/permissions';
import { defaultSystem, type InstalledApp } from '@svc/runtime';
import { createCalls, createEvents, openAccounts } from '@svc/runtime/parts';
import { sampleManifest } from '@svc/testkit';
import type { Figure } from './lib/figure.ts';
import { whileMcpServes } from './lib/mcp-server.ts';
import { percentile } from './lib/processes.ts';
import { took } from './lib/took.ts';

const ROUNDS = 30;
const HOUR_MS = 3_600_000;

const REFUSED = JSON.stringify({ error: 'invalid_grant' });
const TOKENS = JSON.stringify({
  access_token: 'at',
  refresh_token: 'rt',
  token_type: 'Bearer',
  expires_in: 3600,
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
}

/** The relay of a store, and a token endpoint that takes each code and refuses each refresh. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await bodyOf(request);
  const isRefused = body.includes('grant_type=refresh_token');
  response.writeHead(isRefused ? 400 : 200, { 'content-type': 'application/json' });
  if (request.url?.startsWith('/api/apps/oauth/result')) response.end(JSON.stringify({ code: 'c' }));
  else response.end(isRefused ? REFUSED : TOKENS);
}

async function whileAuthorizes<T>(work: (url: string) => Promise<T>): Promise<T> {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function appAt(mcpUrl: string, auth: string): InstalledApp {
  const account = {
    id: 'bench',
    label: 'Bench',
    authorizeUrl: `${auth}/authorize`,
    tokenUrl: `${auth}/token`,
  };
  const manifest = sampleManifest({
    contributes: { tools: [{ id: 'now', name: 'Now', description: 'Tells the time.', account: 'bench' }] },
    accounts: [{ ...account, clientId: 'c', scopes: [] }],
    remote: { mcpUrl, domains: [] },
  });
  const { id: appId, version } = manifest;
  const source = { kind: 'developer', folder: '.' } as const;
  return { appId, version, manifest, consent: footprintOf(manifest), source, on: true, yanked: null };
}

/** A client with a live session, whose tokens can be invalidated. */
function openClient(mcpUrl: string, auth: string, folder: string) {
  let ahead = 0;
  let shown = 0;
  const system = {
    ...defaultSystem,
    now: () => Date.now() + ahead,
    sleep: (ms: number, signal?: AbortSignal) => defaultSystem.sleep(ms === 1_000 ? 1 : ms, signal),
  };
  const events = createEvents(() => undefined);
  const ask = async () => {
    shown = performance.now();
    return { accepted: false as const };
  };
  const accounts = openAccounts({
    ...{ folder, system, events, ask, store: auth, fetchStore: fetch, guard: () => fetch },
    keys: [{ kind: 'key-file', file: join(folder, 'key') }],
    identity: { name: 'bench' },
    openBrowser: async () => undefined,
  });
  const calls = createCalls({
    ...{ system, events, ask, tokens: accounts },
    storage: { keep: () => Promise.reject(new Error('nothing is kept')) },
    prepare: () => Promise.reject(new Error('nothing is prepared')),
    client: { name: 'bench', version: '1.0.0' },
  });
  const app = appAt(mcpUrl, auth);
  const call = () => calls.call(app, { tool: 'now', arguments: {}, project: 'p', chat: 'c' });
  return {
    async begin() {
      await accounts.connect(app, 'bench');
      await call();
    },
    /** @returns milliseconds from the call to the card */
    async lose(): Promise<number> {
      ahead += HOUR_MS;
      const started = performance.now();
      await call().catch(() => undefined);
      return shown - started;
    },
    async close() {
      await calls.stop();
      await accounts.close();
    },
  };
}

/** From a call with an expired session to the Connect card, against one bare request to the same token endpoint. */
export async function lostSession(): Promise<Figure> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const cards: number[] = [];
  const bare: number[] = [];
  await whileMcpServes({ now: 0 }, (mcpUrl) =>
    whileAuthorizes(async (auth) => {
      const client = openClient(mcpUrl, auth, folder);
      const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'rt', client_id: 'c' });
      const request = async () => (await fetch(`${auth}/token`, { method: 'POST', body })).json();
      for (let n = 0; n < ROUNDS; n += 1) {
        await client.begin();
        bare.push(await took(request));
        cards.push(await client.lose());
      }
      await client.close();
    }),
  );
  rmSync(folder, { recursive: true });
  const [ours, theirs] = [percentile(cards, 0.5), percentile(bare, 0.5)];
  return {
    name: 'From a lost session to the Connect card, against one bare request to its token endpoint, p50',
    measured: `${ours.toFixed(1)} ms against ${theirs.toFixed(1)} ms`,
    value: ours / theirs,
    unit: ' times',
    bound: { most: 12 },
  };
}
