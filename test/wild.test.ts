import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEEP } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createCalls } from '../packages/runtime/src/calls/calls.ts';
import type { Answer, Card } from '../packages/runtime/src/cards/card.ts';
import { commandApp } from '../packages/runtime/src/connectors/connector-app.ts';
import { createEvents, type RuntimeEvent } from '../packages/runtime/src/events/events.ts';
import { createAppStorage } from '../packages/runtime/src/files/app-storage.ts';
import type { InstalledApp } from '../packages/runtime/src/library/installed-app.ts';
import { defaultSystem } from '../packages/runtime/src/platform/default-system.ts';
import { relayServer } from '../packages/runtime/test/support/relay-server.ts';
import { tempFolder } from '../packages/runtime/test/support/temp-folder.ts';
import { wildApp, wildClient } from '../packages/runtime/test/support/wild-world.ts';
import { WILD_TAG } from '../scripts/test-projects.ts';
import { installedServers, wildServer } from './support/wild/wild-programs.ts';

/** The steps of the life of an account, in the order of the columns of `docs/project/foreign-servers.md`. */
const STEPS = ['connect', 'call', 'expiry', 'rotation', 'refusal', 'revocation', 'restart'] as const;

type Step = (typeof STEPS)[number];

const WILD = { tags: [WILD_TAG] };

const USE = { host: 'localhost', tool: 'say' };

/** The rows of the table of the documentation, by the name of the program. */
function documented(): Map<string, string[]> {
  const page = readFileSync(join(import.meta.dirname, '../docs/project/foreign-servers.md'), 'utf8');
  const rows = [...page.matchAll(/^\| .* \| `([\w-]+)` \|(.*)\|$/gm)];
  return new Map(
    rows.map(([, name = '', cells = '']) => [name, cells.split('|').map((cell) => cell.trim())]),
  );
}

/** Lives the whole life of an account at a server. @returns what each step did */
async function liveThrough(name: string, isInstalled: boolean): Promise<Record<Step, string>> {
  const server = await wildServer(name, isInstalled);
  const relay = await relayServer();
  const { url } = server;
  const servers = { relay, oauth: { url }, mcp: { url } } as unknown as Parameters<typeof wildClient>[0];
  const app = wildApp(servers, 'mcp');
  const client = await wildClient(servers, app);
  const done = {} as Record<Step, string>;
  const said = async (one = client) => (await one.call()).parts;
  const works = [{ type: 'text', text: 'did say' }];

  expect(await said()).toEqual(works);
  expect(client.kinds()).toEqual(['connect']);
  done.connect = 'yes';
  expect(await said()).toEqual(works);
  expect(client.kinds()).toEqual(['connect']);
  done.call = 'yes';

  const before = await client.accounts.token(app, 'main', USE);
  client.expire();
  expect(await said()).toEqual(works);
  const after = await client.accounts.token(app, 'main', USE);
  expect(after).not.toBe(before);
  expect(client.kinds()).toEqual(['connect']);
  done.expiry = 'yes';
  // A second renewal needs the refresh token that the first one brought.
  client.expire();
  expect(await said()).toEqual(works);
  expect(client.kinds()).toEqual(['connect']);
  done.rotation = 'yes';

  await server.forget();
  expect(await said()).toEqual(works);
  expect(client.kinds()).toEqual(['connect', 'connect']);
  done.refusal = 'yes';

  await client.close();
  const next = await wildClient(servers, app, { folder: client.folder });
  expect(await said(next)).toEqual(works);
  expect(next.kinds()).toEqual([]);
  done.restart = 'yes';

  const token = await next.accounts.token(app, 'main', USE);
  const { revoked } = await next.accounts.disconnect(app, 'main');
  const answer = await fetch(server.url, { method: 'POST', headers: { Authorization: `Bearer ${token}` } });
  await answer.body?.cancel();
  done.revocation = revoked && answer.status === 401 ? 'yes' : `no (${answer.status})`;
  return done;
}

describe('an account at a foreign server', WILD, () => {
  const hold = async (name: string, isInstalled: boolean) => {
    const done = await liveThrough(name, isInstalled);
    expect(STEPS.map((step) => done[step])).toEqual(documented().get(name));
  };
  it('of the MCP SDK 1', DEEP, () => hold('sdk-v1', false));
  it('of oidc-provider and the MCP SDK 2', () => hold('oidc-server-2', false));
  it('of FastMCP and @jmondi/oauth2-server', DEEP, () => hold('fastmcp-jmondi', true));
  it('of @cloudflare/workers-oauth-provider', DEEP, () => hold('workers', true));
  it('of better-auth', DEEP, () => hold('better-auth', true));
});

/** A connector with the program of server-everything, whose user answers every card. */
async function everything(answer: (card: Card) => Answer) {
  const folder = await tempFolder();
  const program = join(
    await installedServers(),
    'node_modules/@modelcontextprotocol/server-everything/dist/index.js',
  );
  const command = { program: process.execPath, args: [program, 'stdio'], folder, variables: [] };
  const app: InstalledApp = commandApp(command, 'everything');
  const cards: Card[] = [];
  const told: RuntimeEvent[] = [];
  const events = createEvents(() => undefined);
  events.subscribe((event) => told.push(event));
  const calls = createCalls({
    system: defaultSystem,
    events,
    ask: async (card) => {
      cards.push(card);
      return answer(card);
    },
    tokens: undefined as never,
    storage: createAppStorage(defaultSystem, join(folder, 'files')),
    prepare: () => Promise.reject(new Error('nothing is prepared here')),
    client: { name: 'test', version: '1' },
    commands: { env: process.env, platform: process.platform },
    connectorSettings: { of: () => ({ media: true, questions: true, sampling: true, roots: true }) },
    services: {
      sample: async () => ({ model: 'some-model', text: 'Paris.' }),
      rootsOf: (project) => [{ uri: `file:///home/anna/${project}`, name: project }],
    },
  });
  onTestFinished(() => calls.stop());
  const call = (tool: string, args: Record<string, unknown> = {}, onProgress?: (made: object) => void) =>
    calls.call(app, { tool, arguments: args, project: 'p', chat: 'c', ...(onProgress && { onProgress }) });
  return { app, calls, call, cards, told };
}

const yes = (card: Card): Answer => ({ accepted: true, ...('binding' in card && { binding: card.binding }) });

describe('server-everything', WILD, () => {
  it('has its pictures, links, questions and requests shown', DEEP, async () => {
    const { app, calls, call, cards } = await everything((card) =>
      card.kind === 'question' ? { ...yes(card), content: { name: 'Anna' } } : yes(card),
    );
    const tools = (await calls.tools(app)).map(({ id }) => id);
    expect(tools).toEqual(
      expect.arrayContaining(['echo', 'get-tiny-image', 'get-resource-links', 'get-resource-reference']),
    );
    const image = await call('get-tiny-image');
    expect(image.files).toMatchObject([{ type: 'image/png' }]);
    const links = await call('get-resource-links', { count: 3 });
    expect(links.files).toHaveLength(3);
    expect(links.parts.map((part) => part.type)).toEqual(['text', 'file', 'file', 'file']);
    const blob = await call('get-resource-reference', { resourceType: 'Blob', resourceId: 1 });
    expect(blob.files).toHaveLength(1);
    const progress: object[] = [];
    await call('trigger-long-running-operation', { duration: 1, steps: 2 }, (made) => progress.push(made));
    expect(progress.length).toBeGreaterThan(0);
    // The server offers these tools once it has read what the client can do.
    await expect
      .poll(async () => (await calls.tools(app)).map(({ id }) => id))
      .toEqual(
        expect.arrayContaining(['trigger-elicitation-request', 'trigger-sampling-request', 'get-roots-list']),
      );
    const asked = await call('trigger-elicitation-request');
    expect(cards.at(-1)).toMatchObject({ kind: 'question', tool: 'trigger-elicitation-request' });
    expect(JSON.stringify(asked.parts)).toContain('Anna');
    const sampled = await call('trigger-sampling-request', { prompt: 'Capital of France?', maxTokens: 10 });
    expect(cards.slice(-2)).toMatchObject([{ kind: 'sampling', reply: null }, { kind: 'sampling' }]);
    expect(JSON.stringify(sampled.parts)).toContain('Paris.');
    expect(JSON.stringify((await call('get-roots-list')).parts)).toContain('file:///home/anna/p');
  });
});
