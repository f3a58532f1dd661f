import { sampleBundle, sampleManifest } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { servedFindingsOf } from '../../../src/core/moderation/review.ts';
import { docsOf } from '../../support/extensions.ts';
import { openModeratedStore, reviewPath } from '../../support/moderated-store.ts';
import { ADMIN_TOKEN, BASE_URL, bodyOf } from '../../support/test-store.ts';

const MCP_URL = 'https://mcp.example.com/mcp';
const REMOTE = { mcpUrl: 'https://mcp.notes.example/mcp', domains: ['api.notes.example'] };

async function opened() {
  const store = await openModeratedStore();
  const token = await store.publisherToken();
  await store.publish(token);
  const review = (version = '1.0.0', appId?: string) =>
    bodyOf(store.as('anna', 'GET', reviewPath(version, appId)));
  return { store, token, review };
}

describe('the review of a version', () => {
  it('has everything about a version in review', async () => {
    const { store, review } = await opened();
    await store.as('anna', 'POST', `${reviewPath()}/lock`);
    const shown = await review();
    expect(shown).toMatchObject({
      httpStatus: 200,
      version: '1.0.0',
      status: 'in_review',
      submittedBy: 'publisher:example',
      names: { 'publisher:example': expect.any(String) },
      publisher: { slug: 'example', verified: false, suspended: false },
      reasons: ['first-version', 'publisher-unverified'],
      permissionDiff: { baseVersion: null },
      base: null,
      review: {
        position: 1,
        of: 1,
        dueAt: '2026-03-04T12:00:00.000Z',
        superseded: false,
        lock: { by: 'person:anna' },
      },
      moves: [
        { from: 'submitted', to: 'checking', by: 'checker' },
        { from: 'checking', to: 'in_review', by: 'checker' },
      ],
      decisions: { app: [], publisher: [] },
    });
    expect(shown.readme).not.toBe('');
    expect(shown.bundleUrl).toBe(`${BASE_URL}${reviewPath()}/bundle`);
    const bundle = await store.call('GET', shown.bundleUrl.slice(BASE_URL.length), { token: ADMIN_TOKEN });
    expect(bundle.headers.get('x-svc-sha256')).toBe(shown.sha256);
  });

  it('has the listing as users will see it, and the record of the publisher', async () => {
    const { store, token, review } = await opened();
    expect(await review()).toMatchObject({ record: { approved: 0, rejected: 0, yanked: 0 } });
    await store.decide('approve', '1.0.0');
    await store.publish(token, { version: '1.1.0', name: 'Notes Two' });
    await store.decide('reject', '1.1.0', { note: 'No.' });
    await store.publish(token, { version: '1.2.0', name: 'Notes Three' });
    await store.call('POST', '/api/apps/com.example.notes/versions/1.2.0/withdraw', { token });
    await store.call('POST', '/api/apps/com.example.notes/versions/1.0.0/yank', {
      token,
      json: { reason: 'Leaks.' },
    });
    const shown = await review('1.2.0');
    // What the publisher retracted is no decision of the store.
    expect(shown.record).toEqual({ approved: 1, rejected: 1, yanked: 1 });
    expect(shown.readmeHtml).toContain('<h');
    const icon = await store.as('anna', 'GET', `${reviewPath('1.2.0')}/icon`);
    expect(icon.headers.get('content-type')).toBe('image/webp');
  });

  it('has pictures that no page can run, at their size and at that of a list', async () => {
    const { store } = await opened();
    for (const query of ['', '?raster=192']) {
      const answer = await store.as('anna', 'GET', `${reviewPath()}/files/assets/icon.png${query}`);
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
      expect(answer.headers.get('content-type')).toMatch(/^image\//);
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it('links the docs of its findings, and is not cached', async () => {
    const { store, token } = await opened();
    await store.publish(token, { version: '1.1.0', categories: [] });
    const response = await store.as('anna', 'GET', reviewPath('1.1.0'));
    expect(response.headers.get('cache-control')).toBe('no-store');
    const { issues } = await bodyOf(response);
    expect(issues.length).toBeGreaterThan(0);
    for (const { code, docs } of issues) expect(docs).toBe(docsOf(code));
  });

  it('contains the version that an update was compared with, also after that was yanked', async () => {
    const { store, token, review } = await opened();
    await store.decide('approve', '1.0.0');
    await store.publish(token, { version: '1.1.0', name: 'Notes Two', remote: REMOTE });
    await store.call('POST', '/api/apps/com.example.notes/versions/1.0.0/yank', {
      token,
      json: { reason: 'Leaks.' },
    });
    const shown = await review('1.1.0');
    expect(shown.permissionDiff).toMatchObject({ baseVersion: '1.0.0', widens: true });
    expect(shown.manifest.name).toBe('Notes Two');
    expect(shown.base).toMatchObject({
      version: '1.0.0',
      status: 'yanked',
      manifest: { name: 'Notes' },
    });
    expect(shown.reach.domains).toEqual(['api.notes.example', 'mcp.notes.example']);
    expect(shown.base.reach.domains).not.toEqual(shown.reach.domains);
  });

  it('has a second diff against a version that was published after the check', async () => {
    const { store, token, review } = await opened();
    await store.decide('approve', '1.0.0');
    // 1.1.0 has fewer permissions than 1.0.0, so that 2.0.0 would add permissions again.
    await store.publish(token, { version: '1.1.0', remote: { mcpUrl: MCP_URL, domains: [] } });
    await store.publish(token, { version: '2.0.0' });
    expect(await review('2.0.0')).toMatchObject({ base: { version: '1.0.0' }, current: null });
    await store.decide('approve', '1.1.0');
    const shown = await review('2.0.0');
    expect(shown.permissionDiff).toMatchObject({ baseVersion: '1.0.0', domainsAdded: [] });
    expect(shown.current).toMatchObject({
      version: '1.1.0',
      reach: { domains: ['mcp.example.com'] },
      permissionDiff: { baseVersion: '1.1.0', domainsAdded: ['api.example.com'], widens: true },
    });
    await store.decide('reject', '2.0.0', { note: 'No.' });
    expect(await review('2.0.0')).toMatchObject({ current: null });
  });

  it('has earlier decisions of users, newest first, and no automatic ones', async () => {
    const { store, token, review } = await opened();
    await store.as('ben', 'POST', `${reviewPath()}/reject`, { note: 'Explain the domain.' });
    store.advance(1_000);
    await store.publish(token, { version: '1.1.0' });
    await store.call('POST', '/api/apps/com.example.notes/versions/1.1.0/withdraw', { token });
    store.advance(1_000);
    await store.publish(token, { id: 'com.example.maps' });
    await store.as('anna', 'POST', `${reviewPath('1.0.0', 'com.example.maps')}/approve`, { note: 'Fine.' });
    const other = await store.publisherToken('other');
    await store.publish(other, { id: 'com.other.app', publisher: 'other' });
    await store.decide('reject', '1.0.0', { note: 'Not theirs.' }, 'com.other.app');
    await store.publish(token, { version: '1.2.0' });

    const { decisions, moves } = await review('1.2.0');
    const ofApp = [
      {
        appId: 'com.example.notes',
        version: '1.1.0',
        to: 'rejected',
        by: 'publisher:example',
        note: 'withdrawn',
      },
      {
        version: '1.0.0',
        from: 'in_review',
        to: 'rejected',
        by: 'person:ben',
        note: 'Explain the domain.',
      },
    ];
    expect(decisions.app).toMatchObject(ofApp);
    expect(decisions.publisher).toMatchObject([
      { appId: 'com.example.maps', to: 'approved', by: 'person:anna', note: 'Fine.' },
      ...ofApp,
    ]);
    expect(moves).toHaveLength(2);
    const { decisions: others } = await review('1.0.0', 'com.other.app');
    expect(others).toEqual({ app: [], publisher: [] });
  });

  it('has at most the latest 20 decisions', { timeout: 60_000 }, async () => {
    const { store, token, review } = await opened();
    for (let n = 1; n <= 22; n += 1) {
      store.advance(60_000);
      await store.publish(token, { version: `1.${n}.0` });
      await store.decide('reject', `1.${n}.0`, { note: `No ${n}.` });
    }
    const { decisions } = await review();
    expect(decisions.app).toHaveLength(20);
    expect(decisions.app[0]).toMatchObject({ note: 'No 22.' });
    expect(decisions.publisher.at(-1)).toMatchObject({ note: 'No 3.' });
  });

  it('remains after the decision, with all state changes', async () => {
    const { store, review } = await opened();
    await store.as('ben', 'POST', `${reviewPath()}/approve`, { note: 'Good.' });
    expect(await review()).toMatchObject({
      status: 'published',
      review: null,
      notes: 'Good.',
      moves: [
        { to: 'checking' },
        { to: 'in_review' },
        { to: 'approved', by: 'person:ben', note: 'Good.' },
        { to: 'published', by: 'signer' },
      ],
    });
  });

  it('answers 404 for an unknown version, and is refused to developers', async () => {
    const { store, token, review } = await opened();
    expect(await review('9.9.9')).toMatchObject({ httpStatus: 404, code: 'not_found' });
    expect((await store.call('GET', reviewPath(), { token })).status).toBe(403);
    expect((await store.call('GET', reviewPath())).status).toBe(401);
  });
});

const manifest = sampleManifest();
const tool = (name: string, properties: object = {}) => ({
  name,
  inputSchema: { type: 'object', properties } as never,
});

it('names tools that the server lacks, and those that it has under another name', () => {
  expect(servedFindingsOf(manifest, [tool('addNote')])).toEqual([
    { tool: 'add_note', kind: 'other-name', detail: 'addNote' },
    { tool: 'clear', kind: 'not-served', detail: '' },
  ]);
});

it.each([
  ['apiKey', {}],
  ['user_password', {}],
  ['text', { description: 'Paste your seed phrase here.' }],
  ['accessToken', {}],
])('names the parameter %s, which asks for a secret', (name, schema) => {
  const served = [
    tool('add_note', { [name]: schema }),
    tool('clear', { at: { items: { properties: { [name]: schema } } } }),
  ];
  expect(servedFindingsOf(manifest, served)).toEqual([
    { tool: 'add_note', kind: 'asks-for-secret', detail: name },
    { tool: 'clear', kind: 'asks-for-secret', detail: `at.*.${name}` },
  ]);
});

it.each(['text', 'author', 'pages', 'tokens', 'keyword'])('lets the parameter %s pass', (name) => {
  expect(servedFindingsOf(manifest, [tool('add_note', { [name]: {} }), tool('clear')])).toEqual([]);
});

describe('a panel of a version in review', () => {
  it('is one page without an origin that connects to nothing, for moderators alone', async () => {
    const { store, token } = await opened();
    const contributes = {
      panels: [{ id: 'notes', title: 'Notes', component: 'webview' as const }],
    };
    const page = '<!doctype html><script src="panel.js"></script><img src="https://spy.example/x.png">';
    const files = {
      'ui/index.html': page,
      'ui/panel.js': 'fetch("https://spy.example");',
    };
    await store.upload(token, sampleBundle({ version: '1.1.0', contributes }, files));
    const panel = (id: string) => store.as('anna', 'GET', `${reviewPath('1.1.0')}/panels/${id}`);
    const answer = await panel('notes');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^sandbox allow-scripts allow-forms; default-src data:/);
    expect(policy).not.toContain('allow-same-origin');
    const html = await answer.text();
    expect(html).toContain('fetch("https://spy.example");');
    expect(html).toMatch(/script-src 'sha256-[^;]+; .*connect-src 'none'/);
    expect(html).toMatch(/img-src data: blob:;/);
    expect((await panel('none')).status).toBe(404);
    const session = await store.signedIn('carl');
    expect((await store.call('GET', `${reviewPath('1.1.0')}/panels/notes`, { session })).status).toBe(403);
  });
});
