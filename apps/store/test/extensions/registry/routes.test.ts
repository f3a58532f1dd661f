import { readFileSync } from 'node:fs';
import { appIdOf, serverNameOf } from '@svc/contracts';
import { BOTH_DATABASES, sampleBundle } from '@svc/testkit';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { jobMover } from '../../../src/core/domain/versions/changes.ts';
import { BASE_URL, bodyOf, openTestStore } from '../../support/test-store.ts';

const Time = z.iso.datetime();

/** What the registry API of 2025-12-01 requires of an answer, with its limits and no more fields than it names. */
const readSchema = () =>
  JSON.parse(readFileSync(new URL('server.schema.json', import.meta.url), 'utf8')) as Record<string, unknown>;
const ajv = formats.default(new Ajv({ strict: false }));
/** The schema of a server, as the registry publishes it (2025-12-11). */
const isServer = ajv.compile(readSchema());

/** What the registry API of 2025-12-01 requires of an answer, with no more fields than it names. */
const ServerResponse = z.strictObject({
  server: z
    .strictObject({
      name: z.string(),
      title: z.string(),
      description: z.string(),
      version: z.string(),
      websiteUrl: z.url(),
      // The schema says so only in words.
      icons: z
        .array(z.strictObject({ src: z.url({ protocol: /^https$/ }), mimeType: z.literal('image/png') }))
        .optional(),
      remotes: z
        .array(z.strictObject({ type: z.literal('streamable-http'), url: z.string().regex(/^[^{}]+$/) }))
        .optional(),
    })
    .refine((server) => isServer(server), { error: () => ajv.errorsText(isServer.errors) }),
  _meta: z.looseObject({
    'io.modelcontextprotocol.registry/official': z.strictObject({
      status: z.enum(['active', 'deprecated', 'deleted']),
      statusMessage: z.string().max(500).optional(),
      statusChangedAt: Time,
      publishedAt: Time,
      updatedAt: Time,
      isLatest: z.boolean(),
    }),
  }),
});
const ServerList = z.strictObject({
  servers: z.array(ServerResponse),
  metadata: z.strictObject({ count: z.int(), nextCursor: z.string().optional() }),
});

const ACCOUNT = {
  ...{ id: 'acme', label: 'Acme', clientId: 'client', scopes: ['read'] },
  ...{ authorizeUrl: 'https://login.example.com/authorize', tokenUrl: 'https://login.example.com/token' },
};

/** A store with `com.example.notes` in two versions and `com.example.board` in one, a minute apart. */
async function openRegistry(environment: Record<string, string> = {}) {
  const store = await openTestStore({ environment });
  const token = await store.publisherToken();
  const publish = async (manifest: Parameters<typeof sampleBundle>[0]) => {
    const { appId, version, httpStatus } = await bodyOf(store.upload(token, sampleBundle(manifest)));
    expect(httpStatus).toBe(201);
    await store.decide('approve', version, {}, appId);
    store.advance(60_000);
  };
  await publish({ id: 'com.example.notes', name: 'Notes' });
  await publish({
    id: 'com.example.board',
    name: 'Board',
    description: `Keeps ${'boards and '.repeat(15)}cards.`,
  });
  await publish({ id: 'com.example.notes', name: 'Notes', version: '1.1.0' });
  const get = (path: string) => store.call('GET', path);
  const list = async (query = '') => ServerList.parse(await (await get(`/v0.1/servers${query}`)).json());
  const yank = (version: string) =>
    store.call('POST', `/api/apps/com.example.notes/versions/${version}/yank`, {
      token,
      json: { reason: 'It leaks.' },
    });
  return { store, get, list, yank, publish };
}

const namesIn = ({ servers }: z.infer<typeof ServerList>): string[] =>
  servers.map(({ server: { name, version } }) => `${name} ${version}`);

const officialOf = ({ _meta }: z.infer<typeof ServerResponse>) =>
  _meta['io.modelcontextprotocol.registry/official'];

describe('server names', () => {
  it.each(['com.example.notes', 'a.b', 'com.ex-ample.my-notes.v2'])('are the ids of apps: %s', (id) => {
    const name = serverNameOf(id);
    expect(name.split('/')).toHaveLength(2);
    expect(appIdOf(name)).toBe(id);
  });

  it.each([
    'com.example.notes',
    'com/example/notes',
    'com.example/no.tes',
    '/notes',
    'com/',
    'COM/x',
    '../x/y',
  ])('name no app otherwise: %s', (name) => expect(appIdOf(name)).toBeNull());
});

describe('the registry API', () => {
  it('lists every published version, in pages whose cursor carries the query', async () => {
    const { list } = await openRegistry();
    const all = await list();
    expect(namesIn(all)).toEqual([
      'com.example/board 1.0.0',
      'com.example/notes 1.0.0',
      'com.example/notes 1.1.0',
    ]);
    expect(all.servers.map((one) => officialOf(one).isLatest)).toEqual([true, false, true]);
    for (const query of ['?limit=1', '?limit=1&version=latest', '?limit=1&search=example']) {
      const found: string[] = [];
      let page = await list(query);
      found.push(...namesIn(page));
      // Only the cursor, as clients that forget their query send it.
      while (page.metadata.nextCursor !== undefined) {
        expect(page.metadata.nextCursor).toMatch(/^[\w-]+$/);
        page = await list(`?cursor=${page.metadata.nextCursor}`);
        expect(page.metadata.count).toBe(1);
        found.push(...namesIn(page));
      }
      const expected = query === '?limit=1' ? namesIn(all) : [namesIn(all)[0], namesIn(all)[2]];
      expect(found.sort(), query).toEqual(expected);
    }
  });

  it('answers versions by name, the latest one, and /v0 alike', async () => {
    const { get } = await openRegistry();
    const name = 'com.example%2Fnotes';
    for (const api of ['/v0.1', '/v0']) {
      const versions = ServerList.parse(await (await get(`${api}/servers/${name}/versions`)).json());
      expect(namesIn(versions)).toEqual(['com.example/notes 1.1.0', 'com.example/notes 1.0.0']);
      const latest = ServerResponse.parse(await (await get(`${api}/servers/${name}/versions/latest`)).json());
      expect(latest.server).toMatchObject({
        name: 'com.example/notes',
        title: 'Notes',
        version: '1.1.0',
        remotes: [{ type: 'streamable-http', url: expect.stringMatching(/^https:/) }],
      });
      expect(latest._meta['dev.svc.store/app']).toMatchObject({
        appId: 'com.example.notes',
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        plainClient: true,
      });
      const one = await get(`${api}/servers/${name}/versions/1.0.0`);
      expect(officialOf(ServerResponse.parse(await one.json())).isLatest).toBe(false);
    }
    const response = await get('/v0.1/servers');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('etag')).toMatch(/^"/);
  });

  it('shows a deprecated version, and the versions of a deprecated app, as deprecated', async () => {
    const { store, list } = await openRegistry();
    const mover = jobMover('store', store.clock().toISOString());
    await store.stores.lives.deprecate('com.example.notes', '1.0.0', 'Loses notes.', mover);
    const deprecation = { note: 'Use Notes.', replacement: 'com.example.notes' };
    await store.stores.lives.setState('com.example.board', { delisted: false, deprecation }, mover);
    const { servers } = await list('?limit=98');
    expect(servers.map(officialOf)).toMatchObject([
      { status: 'deprecated', statusMessage: 'Use Notes.', isLatest: true },
      { status: 'deprecated', statusMessage: 'Loses notes.', isLatest: false },
      { status: 'active' },
    ]);
  });

  it('shows a yanked version as deleted, only where asked or where time is asked for', async () => {
    const { list, get, yank, store } = await openRegistry();
    const before = new Date(Date.parse('2026-03-01T12:00:00.000Z') + 150_000).toISOString();
    expect((await yank('1.1.0')).status).toBe(200);
    store.advance(60_000);
    expect(namesIn(await list('?limit=99'))).toEqual(['com.example/board 1.0.0', 'com.example/notes 1.0.0']);
    const [gone] = (await list(`?updated_since=${before}`)).servers;
    expect(gone && officialOf(gone)).toMatchObject({
      status: 'deleted',
      statusMessage: expect.stringContaining('It leaks.'),
      isLatest: false,
    });
    const path = '/v0.1/servers/com.example%2Fnotes/versions/1.1.0';
    expect((await get(path)).status).toBe(404);
    expect((await get(`${path}?include_deleted=true`)).status).toBe(200);
    expect(namesIn(await list('?include_deleted=true'))).toContain('com.example/notes 1.1.0');
  });

  it(
    'lists changes since a time in their order, so that a mirror continues where it stopped',
    BOTH_DATABASES,
    async () => {
      const { list, yank, store } = await openRegistry();
      expect((await yank('1.0.0')).status).toBe(200);
      store.advance(60_000);
      let page = await list('?updated_since=2020-01-01T00:00:00Z&limit=1');
      const found = namesIn(page);
      while (page.metadata.nextCursor !== undefined) {
        page = await list(`?cursor=${page.metadata.nextCursor}`);
        found.push(...namesIn(page));
      }
      // The yanked version once, at its last change.
      expect(found).toEqual([
        'com.example/board 1.0.0',
        'com.example/notes 1.1.0',
        'com.example/notes 1.0.0',
      ]);
      expect(namesIn(await list('?updated_since=2020-01-01T00:00:00Z&version=1.1.0'))).toEqual([
        'com.example/notes 1.1.0',
      ]);
    },
  );

  it('combines a search with an exact version', async () => {
    const { list } = await openRegistry();
    expect(namesIn(await list('?search=notes&version=1.0.0'))).toEqual(['com.example/notes 1.0.0']);
    expect(namesIn(await list('?search=notes&version=9.9.9'))).toEqual([]);
  });

  it('leaves the address out where only an svc client can sign in', async () => {
    const { publish, get } = await openRegistry();
    await publish({
      id: 'com.example.mail',
      name: 'Mail',
      accounts: [ACCOUNT],
      remote: { mcpUrl: 'https://mcp.example.com/mcp', domains: ['login.example.com'] },
    });
    const { server, _meta } = ServerResponse.parse(
      await (await get('/v0.1/servers/com.example%2Fmail/versions/latest')).json(),
    );
    expect(server.remotes).toBeUndefined();
    expect(_meta['dev.svc.store/app']).toMatchObject({ plainClient: false });
  });

  it('understands an empty cursor, a plain slash in a name and a slash at the end', async () => {
    const { store, list } = await openRegistry();
    const first = await list('?limit=1');
    expect(namesIn(await list('?limit=1&cursor='))).toEqual(namesIn(first));
    // The descriptions of routes know no such path.
    const read = async (path: string) => (await store.app.request(BASE_URL + path)).text();
    for (const [odd, exact] of [
      ['', ''],
      ['/com.example/notes/versions', '/com.example%2Fnotes/versions'],
      ['/com.example/notes/versions/latest', '/com.example%2Fnotes/versions/latest'],
      ['/com.example%2Fnotes/versions', '/com.example%2Fnotes/versions'],
    ])
      for (const api of ['/v0/servers', '/v0.1/servers'])
        for (const end of ['', '/']) expect(await read(api + odd + end)).toBe(await read(api + exact));
  });

  it('says what is wrong as `error`, and hides suspended apps', async () => {
    const { get, store, list } = await openRegistry();
    for (const [path, status] of [
      ['/v0.1/servers/com.example%2Fnone/versions', 404],
      ['/v0.1/servers/nothing/versions/latest', 404],
      ['/v0.1/servers/com.example%2Fnotes/versions/9.9.9', 404],
      ['/v0.1/servers?limit=0', 400],
      ['/v0.1/servers?updated_since=yesterday', 400],
      ['/v0.1/servers?cursor=nonsense', 400],
      [`/v0.1/servers?cursor=${Buffer.from('[{"limit":1e9},null]').toString('base64url')}`, 400],
    ] as const) {
      const response = await get(path);
      expect(response.status, path).toBe(status);
      const body = (await response.json()) as { message: string };
      expect(body).toMatchObject({ error: body.message, code: expect.any(String) });
    }
    await store.call('PATCH', '/api/admin/apps/com.example.notes', {
      token: 'automation-0123456789',
      json: { suspended: true, reason: 'Under investigation.' },
    });
    expect(namesIn(await list('?limit=98'))).toEqual(['com.example/board 1.0.0']);
    const all = await list('?limit=98&include_deleted=true');
    expect(
      all.servers.map((one) => [one.server.name, officialOf(one).status, officialOf(one).isLatest]),
    ).toEqual([
      ['com.example/board', 'active', true],
      ['com.example/notes', 'deleted', false],
      ['com.example/notes', 'deleted', false],
    ]);
  });

  it('encodes what clients would read as a variable in the address', async () => {
    const { publish, get } = await openRegistry();
    await publish({
      id: 'com.example.brace',
      name: 'Brace',
      remote: { mcpUrl: 'https://mcp.example.com/{tenant}/*', domains: [] },
    });
    const one = await get('/v0.1/servers/com.example%2Fbrace/versions/latest');
    const [remote] = ServerResponse.parse(await one.json()).server.remotes ?? [];
    expect(remote?.url).toBe('https://mcp.example.com/%7Btenant%7D/%2A');
  });

  it('has its description where clients look for it', async () => {
    const { get } = await openRegistry();
    const response = await get('/openapi.yaml');
    expect(response.headers.get('content-type')).toBe('application/yaml');
    expect(parse(await response.text())).toMatchObject({
      openapi: '3.1.0',
      paths: { '/v0.1/servers': expect.anything() },
    });
    const catalog = (await (await get('/.well-known/ai-catalog.json')).json()) as {
      entries: { data: unknown }[];
    };
    expect(catalog).toMatchObject({ specVersion: '1.0', host: { displayName: expect.any(String) } });
    expect(catalog.entries.map(({ data }) => isServer(data))).toEqual([true, true]);
  });

  it('can be switched off', async () => {
    const { get } = await openRegistry({ SVC_MCP_REGISTRY: 'off' });
    expect((await get('/v0.1/servers')).status).toBe(404);
  });
});
