import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { POLICY_FILES } from '@svc/contracts';
import { keyRing, verifyFile } from '@svc/signing';
import { sampleBundle } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { bodyOf, openTestStore } from '../../support/test-store.ts';

const URL_OF = (name: string) => `https://mcp.example.com/${name}`;

/** A store with `com.example.notes` in two versions at two addresses, and an app whose account only an svc client connects. */
async function openPolicies() {
  const store = await openTestStore({});
  const token = await store.publisherToken();
  const publish = async (id: string, version: string, address: string, more = {}) => {
    const bundle = sampleBundle({
      id,
      version,
      name: id,
      remote: { mcpUrl: address, domains: ['login.example.com'] },
      ...more,
    });
    expect((await bodyOf(store.upload(token, bundle))).httpStatus).toBe(201);
    await store.decide('approve', version, {}, id);
    store.advance(60_000);
  };
  await publish('com.example.notes', '1.0.0', URL_OF('old'));
  await publish('com.example.notes', '1.1.0', URL_OF('new'));
  await publish('com.example.mail', '1.0.0', URL_OF('mail'), {
    accounts: [
      {
        id: 'acme',
        label: 'Acme',
        clientId: 'client',
        scopes: ['read'],
        authorizeUrl: 'https://login.example.com/a',
        tokenUrl: 'https://login.example.com/t',
      },
    ],
  });
  const get = async (file: string) => {
    const response = await store.call('GET', `/policy/${file}`);
    expect(response.status, file).toBe(200);
    return response;
  };
  return { store, token, get };
}

describe('the policies of clients', () => {
  it('allow the servers of published versions, and define those that a plain client can use', async () => {
    const { get, store, token } = await openPolicies();
    const jsonIn = async (file: string) => (await get(file)).json();
    const allowedMcpServers = ['mail', 'new', 'old'].map((name) => ({ serverUrl: URL_OF(name) }));
    expect(await jsonIn('allowed-mcp-servers.json')).toEqual({ allowedMcpServers });
    const source = { source: 'url', url: expect.stringMatching(/\/policy\/marketplace\.json$/) };
    expect(await jsonIn('claude-managed-settings.json')).toEqual({
      ...{ allowedMcpServers, allowManagedMcpServersOnly: true, strictKnownMarketplaces: [source] },
      extraKnownMarketplaces: { [((await jsonIn('marketplace.json')) as { name: string }).name]: { source } },
    });
    expect(await jsonIn('marketplace.json')).toMatchObject({
      name: expect.stringMatching(/^[a-z0-9-]+$/),
      metadata: { description: expect.stringContaining('Published apps of store.test') },
      plugins: [
        {
          name: 'com_example_notes',
          version: '1.1.0',
          strict: false,
          mcpServers: { com_example_notes: { type: 'http', url: URL_OF('new') } },
        },
      ],
    });
    expect(await (await get('codex-requirements.toml')).text()).toBe(
      `[mcp_servers.com_example_notes.identity]\nurl = "${URL_OF('new')}"\n`,
    );
    expect(await jsonIn('gemini-settings.json')).toEqual({
      mcp: { allowed: ['com_example_notes'] },
      mcpServers: { com_example_notes: { httpUrl: URL_OF('new') } },
    });
    await store.call('POST', '/api/apps/com.example.notes/versions/1.1.0/yank', {
      token,
      json: { reason: 'It leaks.' },
    });
    store.advance(60_000);
    expect(await jsonIn('gemini-settings.json')).toMatchObject({
      mcpServers: { com_example_notes: { httpUrl: URL_OF('old') } },
    });
    expect(JSON.stringify(await jsonIn('allowed-mcp-servers.json'))).not.toContain(URL_OF('new'));
  });

  it('allow nothing where there is no app', async () => {
    const store = await openTestStore({});
    const settings = await (await store.call('GET', '/policy/gemini-settings.json')).json();
    expect(settings).toMatchObject({ mcp: { allowed: ['svc_no_app'] }, mcpServers: { svc_no_app: {} } });
  });

  it('are signed under their names, and revalidated', async () => {
    const { get, store } = await openPolicies();
    const keys = keyRing([
      (await (await store.call('GET', '/api/apps/public-key')).json()) as Parameters<
        typeof keyRing
      >[0][number],
    ]);
    for (const file of POLICY_FILES) {
      const response = await get(file);
      const tag = response.headers.get('etag') ?? '';
      const bytes = new Uint8Array(await response.arrayBuffer());
      const statement: unknown = await (await get(`${file}.sig`)).json();
      expect(verifyFile(file, bytes, statement, keys), file).toBe(true);
      expect(verifyFile('other.json', bytes, statement, keys)).toBe(false);
      expect(verifyFile(file, Buffer.concat([bytes, Buffer.from(' ')]), statement, keys)).toBe(false);
      const again = await store.call('GET', `/policy/${file}`, { headers: { 'if-none-match': tag } });
      expect(again.status).toBe(304);
    }
    expect((await store.call('GET', '/policy/passwd')).status).toBe(400);
  });

  it('have a package without code as the source of plugins', async () => {
    const { store } = await openPolicies();
    const packument = (await (await store.call('GET', '/policy/npm/svc-connector')).json()) as {
      versions: Record<string, { dist: { tarball: string; integrity: string } }>;
    };
    const { tarball, integrity } = packument.versions['1.0.0']?.dist ?? { tarball: '', integrity: '' };
    const bytes = Buffer.from(await (await store.call('GET', new URL(tarball).pathname)).arrayBuffer());
    expect(`sha512-${createHash('sha512').update(bytes).digest('base64')}`).toBe(integrity);
    const archive = gunzipSync(bytes);
    expect(archive.toString('latin1', 0, 20)).toBe('package/package.json');
    expect(
      JSON.parse(
        archive.toString('utf8', 512, 512 + Number.parseInt(archive.toString('latin1', 124, 135), 8)),
      ),
    ).toMatchObject({ name: 'svc-connector' });
    expect((await store.call('GET', '/policy/npm/other')).status).toBe(404);
  });
});
