import { runs } from '@svc/testkit';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { createCalls } from '../../../src/calls/calls.ts';
import { type AppTool, isVisibleTo } from '../../../src/calls/known-tools.ts';
import { openPins } from '../../../src/calls/pins/pins.ts';
import { connectorApp } from '../../../src/connectors/connector-app.ts';
import { createEvents } from '../../../src/events/events.ts';
import { putApp } from '../../../src/library/app-table.ts';
import type { InstalledApp } from '../../../src/library/installed-app.ts';
import { openLibraryStorage } from '../../../src/library/library-storage.ts';
import { defaultSystem } from '../../../src/platform/default-system.ts';
import { RuntimeError } from '../../../src/platform/runtime-error.ts';
import { installed } from '../../support/app.ts';
import { json, type Message, serveMcp, text } from '../../support/mcp-server.ts';
import { system } from '../../support/system.ts';
import { tempFolder } from '../../support/temp-folder.ts';

type Json = Record<string, unknown>;
/** A server whose lists change. Each word that it ever says is another one, so that each can be followed to its consent. */
type World = Record<'tools' | 'resources' | 'resourceTemplates' | 'prompts', Json[]> & { csp: Json };
type Era = 'legacy' | 'modern';
type Kind = 'connector' | 'app' | 'app with a record';

const NAMES = ['t0', 't1', 't2', 't3'];
const PAGES = ['ui://p0', 'ui://p1'];
const LIST_OF = new Map([
  ['tools/list', 'tools'],
  ['resources/list', 'resources'],
  ['resources/templates/list', 'resourceTemplates'],
  ['prompts/list', 'prompts'],
] as const);

/** Words and origins of a server in any value. */
const wordsIn = (value: unknown): string[] => JSON.stringify(value ?? null).match(/w\d+w/g) ?? [];

/** Numbers that decide a run. */
function choices(seed: readonly number[]) {
  let at = 0;
  let word = 0;
  const next = (below: number): number => {
    at += 1;
    return (((seed[at % seed.length] ?? 0) + at * 7919) >>> 3) % below;
  };
  return {
    next,
    word() {
      word += 1;
      return `w${word}w`;
    },
    some: <T>(list: readonly T[]): T => list[next(list.length)] as T,
  };
}
type Choices = ReturnType<typeof choices>;

const VISIBILITIES = [undefined, ['model', 'app'], ['app'], ['model'], []];

function anyTool(name: string, { next, word, some }: Choices): Json {
  const visibility = some(VISIBILITIES);
  const ui = {
    ...(visibility && { visibility }),
    ...(next(2) && { resourceUri: some(PAGES) }),
    ...(next(4) === 0 && { border: word() }),
  };
  return {
    ...{ name, description: word() },
    ...(next(2) && { title: word() }),
    inputSchema: { type: 'object', properties: { [word()]: { type: 'string', description: word() } } },
    ...(next(3) === 0 && { outputSchema: { type: 'object', title: word() } }),
    ...(next(3) === 0 && { annotations: { readOnlyHint: next(2) === 0, title: word() } }),
    ...(next(3) === 0 && { icons: [{ src: `https://${word()}.example/a.png` }] }),
    _meta: { ui, ...(next(4) === 0 && { vendor: word() }) },
  };
}

const anyEntry = (key: object, { next, word }: Choices): Json => ({
  ...{ ...key, name: word(), description: word() },
  ...(next(3) === 0 && { title: word() }),
  ...(next(3) === 0 && { annotations: { audience: [word()], lastModified: '2026-01-01T00:00:00Z' } }),
  ...(next(4) === 0 && { _meta: { vendor: word() } }),
});

/** Changes one thing of a server: adds it, removes it, or says something else of it. */
function change(world: World, given: Choices): void {
  const { next, some, word } = given;
  /** Puts an entry in the place of the one with the same key, or takes that away. */
  const put = (list: Json[], key: string, made: Json): void => {
    const at = list.findIndex((one) => one[key] === made[key]);
    if (at >= 0) list.splice(at, 1);
    if (at < 0 || next(3) > 0) list.push(made);
  };
  const key = next(3);
  const changes = [
    () => put(world.tools, 'name', anyTool(some(NAMES), given)),
    () => {
      // One field alone: what is beside it hides nothing.
      const at = next(world.tools.length + 1);
      const [tool, made] = [world.tools[at], anyTool('', given)];
      const field = some(['description', 'title', 'inputSchema', 'annotations', 'icons', '_meta']);
      if (tool) world.tools[at] = { ...tool, [field]: made[field] };
    },
    () => put(world.resources, 'uri', anyEntry({ uri: `a:${key}` }, given)),
    () => put(world.resourceTemplates, 'uriTemplate', anyEntry({ uriTemplate: `a:{x${key}}` }, given)),
    () =>
      put(world.prompts, 'name', {
        ...{ ...anyEntry({}, given), name: `p${key}` },
        arguments: [{ name: word(), description: word() }],
      }),
    () => {
      world.csp = { connectDomains: Array.from({ length: next(3) }, () => `https://${word()}.example`) };
    },
  ];
  some(changes)();
}

/** The server of all runs. What it serves, and when it changes, is set for each. */
async function changingServer(era: Era) {
  let world: World = { tools: [], resources: [], resourceTemplates: [], prompts: [], csp: {} };
  let onRequest: () => void = () => undefined;
  /** The first answer to each list, and to each page. */
  let first = new Map<string, unknown>();
  let called: string[] = [];
  const about = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
  const served = (name: string, result: Json): Json => {
    if (!first.has(name)) first.set(name, structuredClone(result));
    return { ...result, ...(era === 'modern' && about) };
  };
  const capabilities = { tools: {}, resources: {}, prompts: {} };
  const resultOf = ({ method, params }: Message & { params: { uri?: string } }): Json | null => {
    const serverInfo = { name: 's', version: '1' };
    if (method === 'initialize' && era === 'legacy')
      return { protocolVersion: '2025-11-25', capabilities, serverInfo };
    if (method === 'server/discover' && era === 'modern') {
      const _meta = { 'io.modelcontextprotocol/serverInfo': serverInfo };
      return { ...about, supportedVersions: ['2026-07-28'], capabilities, _meta };
    }
    const list = LIST_OF.get(method as 'tools/list');
    if (list) return served(list, { [list]: world[list] });
    if (method === 'resources/read') {
      const contents = [
        { uri: params.uri, mimeType: 'text/html', text: '', _meta: { ui: { csp: world.csp } } },
      ];
      return served(String(params.uri), { contents });
    }
    if (method === 'prompts/get') {
      called.push(String(params.name));
      return served('prompt', { messages: [] });
    }
    if (method !== 'tools/call') return null;
    called.push(String(params.name));
    return { ...text('done'), ...(era === 'modern' && about) } as Json;
  };
  const mcp = await serveMcp(() => undefined, {
    before({ message, response }) {
      if (message.id === undefined) return false;
      onRequest();
      const result = resultOf(message);
      const error = { code: -32601, message: 'Method not found' };
      json(response, { jsonrpc: '2.0', id: message.id, ...(result ? { result } : { error }) });
      return true;
    },
  });
  return {
    url: mcp.url,
    first: () => first,
    /** What was called since the last time. */
    called: () => called.splice(0),
    start(given: Choices, record: Json[]) {
      world = { tools: record, resources: [], resourceTemplates: [], prompts: [], csp: {} };
      first = new Map();
      called = [];
      for (let times = 0; times < 8; times += 1) change(world, given);
      onRequest = () => {
        for (let times = given.next(3); times > 0; times -= 1) change(world, given);
      };
    },
  };
}

const WHERE = { project: 'p', chat: 'c' };
let checked = 0;

/** What the runs of one kind of app at a server of one era explored. */
type Explored = {
  /** Descriptions that were stored: the accepted ones with those that wait. */
  states: Set<string>;
  /** Changes that waited for the user, by what they change. */
  waited: Map<string, number>;
  /** Tools, readers, hints, pages and calls that were compared with what the user agreed to. */
  checked: number;
};
const explored = new Map<string, Explored>();

const figuresOf = ({ states, waited, checked: checks }: Explored): string => {
  const kinds = [...waited].sort(([a], [b]) => a.localeCompare(b)).map(([of, times]) => `${of} ${times}`);
  return `${states.size} states, ${checks} checks; waited: ${kinds.join(', ')}`;
};

/** A client with an app of the server, restarted at any time. */
async function changedClient(server: Awaited<ReturnType<typeof changingServer>>, kind: Kind) {
  const storage = await openLibraryStorage(defaultSystem, await tempFolder());
  const app: InstalledApp =
    kind === 'connector'
      ? connectorApp(server.url, false)
      : installed(
          {
            remote: { mcpUrl: server.url, domains: [] },
            contributes: { tools: NAMES.map((id) => ({ id, name: id, description: 'Of the manifest.' })) },
          },
          {
            source: {
              ...{ kind: 'store', store: 'https://s.example', sha256: 'ab', keyId: 'k' },
              publishedAt: '2026-01-01T00:00:00Z',
            },
          } as Partial<InstalledApp>,
        );
  putApp(storage.database, app);
  const open = () => {
    const events = createEvents(() => undefined);
    const pins = openPins(storage, { system: defaultSystem, events });
    const calls = createCalls({
      ...{ system, events, pins, client: { name: 'test', version: '1' } },
      tokens: { ready: async () => true, token: async () => null } as never,
      storage: { keep: () => Promise.reject(new Error('nothing is kept')) },
      prepare: () => Promise.reject(new Error('nothing is prepared')),
      ask: async (card) => ({ accepted: true, ...('binding' in card && { binding: card.binding }) }),
      loopbackOf: () => true,
    });
    return { pins, calls };
  };
  return { app, open, storage };
}

type Client = ReturnType<Awaited<ReturnType<typeof changedClient>>['open']>;
type Accepted = { of: string; tool: string; kind: string; path: string; after: unknown };

/** What an accepted change of a tool says of its readers, its page and its hints. */
function factsIn({ tool, kind, path, after }: Accepted): string[] {
  if (kind === 'visibility') return (after as string[]).map((whom) => `${tool} ${whom}`);
  if (kind === 'page') return [`${tool} ${after}`];
  return path === '/annotations/readOnlyHint' && after === true ? [`${tool} readOnlyHint`] : [];
}

/** What the user agreed to, computed without the code under test. */
function consentTo(kind: Kind, server: Awaited<ReturnType<typeof changingServer>>, record: Json[]) {
  const words = new Set<string>();
  /** Tools by name, and `name model`, `name app` for those that see one, `name readOnlyHint` for a loose hint, `name ui://…` for a page. */
  const may = new Set<string>();
  const seen = new Set<string>();
  const addTool = (tool: Json) => {
    const {
      name,
      annotations = {},
      _meta,
    } = tool as { name: string; annotations?: Json; _meta?: { ui: Json } };
    const { visibility = ['model', 'app'], resourceUri } = (_meta?.ui ?? {}) as Json & {
      visibility?: string[];
    };
    may.add(name).add(`${name} ${resourceUri}`);
    for (const whom of kind === 'connector' ? visibility : ['model', 'app']) may.add(`${name} ${whom}`);
    if (annotations.readOnlyHint === true) may.add(`${name} readOnlyHint`);
  };
  const agree = (value: unknown) => {
    for (const word of wordsIn(value)) words.add(word);
  };
  if (kind === 'app with a record') {
    seen.add('tools');
    agree(record);
    for (const tool of record) addTool(tool);
  }
  return {
    words,
    may,
    hasListed: () => seen.has('tools'),
    /** The first listing of each list, and the first reading of each page, are accepted. */
    firstOf() {
      for (const [list, answer] of server.first()) {
        if (seen.has(list)) continue;
        seen.add(list);
        agree(answer);
        const { prompts = [], tools = [] } = answer as { prompts?: Json[]; tools?: Json[] };
        for (const { name } of prompts) may.add(String(name));
        for (const tool of tools) addTool(tool);
      }
    },
    /** What a person saw and accepted. */
    accepted(changes: readonly Accepted[]) {
      for (const change of changes) {
        agree([change.tool, change.after, change.path]);
        if (change.of === 'tool' && change.kind === 'new') {
          const { given, ...rest } = change.after as Json & { given?: Json };
          addTool({ ...rest, ...given });
        }
        if (change.of === 'prompt' && change.kind === 'new') may.add(change.tool);
        for (const fact of factsIn(change)) may.add(fact);
      }
    },
  };
}

type Consent = ReturnType<typeof consentTo>;

/** The part of what a client gives that no user agreed to. */
function unseenIn({ words, may, hasListed }: Consent, given: unknown, tools: readonly AppTool[]): string[] {
  const facts = tools.flatMap((tool) => [
    tool.id,
    ...(['model', 'app'] as const)
      .filter((whom) => isVisibleTo(tool, whom))
      .map((whom) => `${tool.id} ${whom}`),
    ...(tool.annotations?.readOnlyHint ? [`${tool.id} readOnlyHint`] : []),
    ...(JSON.stringify(tool.given ?? {}).match(/ui:\/\/p\d/) ?? []).map((uri) => `${tool.id} ${uri}`),
  ]);
  checked += facts.length;
  return [
    ...wordsIn([given, tools]).filter((word) => !words.has(word)),
    // Before the first listing a client has the manifest alone.
    ...(hasListed() ? facts.filter((fact) => !may.has(fact)) : []),
  ];
}

const isRefused = (error: unknown): null => {
  if (error instanceof RuntimeError) return null;
  throw error;
};

/** A step of a run. @returns what the client gives its caller */
function take(
  step: number,
  {
    app,
    client,
    given,
    as,
  }: { app: InstalledApp; client: Client; given: Choices; as: 'user' | 'model' | 'page' },
): Promise<unknown> {
  const { calls } = client;
  const where = { ...WHERE, mayAsk: false };
  if (step < 3) return calls.tools(app);
  if (step < 6) return calls.call(app, { ...WHERE, tool: given.some(NAMES), arguments: {}, caller: { as } });
  if (step < 8) return calls.contents.resources(app, where);
  if (step < 10) return calls.contents.prompts(app, where);
  if (step < 11) return calls.contents.fill(app, `p${given.next(3)}`, {}, where);
  return calls.contents.page(app, given.some(PAGES), where);
}

/** The user decides about what waits, or the client starts again. @returns the client that goes on */
async function decide(
  step: number,
  app: InstalledApp,
  consent: Consent,
  [client, open]: [Client, () => Client],
) {
  const { pins, calls } = client;
  const waiting = step < 14 ? null : pins.waiting(app);
  if (waiting && step >= 16) {
    pins.reject(app, waiting.binding);
    return client;
  }
  if (waiting) {
    pins.accept(app, waiting.binding);
    consent.accepted(waiting.changes);
  }
  await calls.stop();
  return open();
}

/** One run: a server that changes between any two requests, and a client that lists, calls, decides and restarts. */
async function run(
  server: Awaited<ReturnType<typeof changingServer>>,
  kind: Kind,
  seed: number[],
  steps: number[],
  into: Explored,
) {
  const given = choices(seed);
  const record = NAMES.slice(0, 1 + given.next(3)).map((name) => anyTool(name, given));
  const { app, open, storage } = await changedClient(server, kind);
  server.start(given, kind === 'app with a record' ? structuredClone(record) : []);
  let client = open();
  if (kind === 'app with a record') client.pins.seed(app, record as never);
  const consent = consentTo(kind, server, record);
  const before = checked;
  try {
    for (const step of steps) {
      const as = given.some(['user', 'model', 'page'] as const);
      const got = step < 13 ? await take(step, { app, client, given, as }).catch(isRefused) : null;
      if (step >= 13) client = await decide(step, app, consent, [client, open]);
      consent.firstOf();
      expect(unseenIn(consent, got, client.calls.toolsNow(app).tools)).toEqual([]);
      const all = server.called();
      const seenBy = { user: '', model: ' model', page: ' app' }[as];
      const [prompts = [], called = []] = [true, false].map((isPrompt) =>
        all.filter((name) => name.startsWith('p') === isPrompt),
      );
      checked += all.length;
      expect(prompts.filter((name) => !consent.may.has(name))).toEqual([]);
      if (consent.hasListed())
        expect(called.filter((name) => !consent.may.has(name) || !consent.may.has(name + seenBy))).toEqual(
          [],
        );
      into.states.add(JSON.stringify(storage.database.prepare('select list, state from pins').all()));
      for (const { of, kind: what } of client.pins.waiting(app)?.changes ?? []) {
        const change = `${of} ${what}`;
        into.waited.set(change, (into.waited.get(change) ?? 0) + 1);
      }
    }
  } finally {
    await client.calls.stop();
    storage.close();
  }
  into.checked += checked - before;
}

describe.each<Era>(['legacy', 'modern'])(
  'of a server of the %s era that changes between any two requests',
  (era) => {
    it.each<[Kind, number]>([
      ['connector', 40],
      ['app', 40],
      ['app with a record', 40],
    ])(
      'a model, an agent and a page get of a %s what was there at first, less what went, and what was accepted',
      async (kind, times) => {
        const server = await changingServer(era);
        const into: Explored = { states: new Set(), waited: new Map(), checked: 0 };
        explored.set(`${era}, ${kind}`, into);
        await fc.assert(
          fc.asyncProperty(
            fc.array(fc.nat(), { minLength: 20, maxLength: 20 }),
            fc.array(fc.nat(16), { minLength: 15, maxLength: 25 }),
            (seed, steps) => run(server, kind, seed, steps, into),
          ),
          // Shrinking takes minutes, and the steps of a run say enough.
          { numRuns: runs(times), endOnFailure: true },
        );
      },
    );
  },
);

/** What each kind of app has at least had waiting, once the runs are done. */
const WAITED = [
  ...['tool new', 'tool words', 'tool hint', 'tool visibility', 'tool page', 'tool icons', 'tool meta'],
  ...['prompt new', 'prompt words', 'resource new', 'resource words', 'template new', 'page origins'],
];

afterAll(() => {
  for (const [of, figures] of explored) process.stdout.write(`pins of ${of}: ${figuresOf(figures)}\n`);
  // A run by name has some of them.
  if (explored.size < 6) return;
  for (const [of, { states, checked: checks }] of explored)
    expect([of, states.size > 20, checks > 500]).toEqual([of, true, true]);
  const waited = new Set([...explored.values()].flatMap((one) => [...one.waited.keys()]));
  expect(WAITED.filter((one) => !waited.has(one))).toEqual([]);
});
