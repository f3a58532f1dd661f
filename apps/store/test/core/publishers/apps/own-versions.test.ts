import { sampleBundle } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { openPublisherStore } from '../../../support/people.ts';
import { bodyOf } from '../../../support/test-store.ts';

const APP = '/apps/com.acme.notes';

/** A store with three versions of an app of acme: one published, one rejected, and one in review that adds permissions. */
async function openWithVersions() {
  const store = await openPublisherStore();
  const upload = async (version: string, domains: string[], changelog: string) => {
    const manifest = { id: 'com.acme.notes', publisher: 'acme', version };
    const remote = { mcpUrl: 'https://mcp.example.com/mcp', domains };
    await store.call('POST', '/api/apps/publish', {
      session: store.sessions.anna,
      body: sampleBundle({ ...manifest, remote }, { 'CHANGELOG.md': changelog }) as Uint8Array<ArrayBuffer>,
      headers: { 'content-type': 'application/zip' },
    });
    store.advance(1000);
  };
  await upload('1.0.0', ['a.example.com'], '# One');
  await store.decide('approve', '1.0.0', {}, 'com.acme.notes');
  await upload('1.1.0', ['a.example.com'], '# Two');
  await store.decide('reject', '1.1.0', { note: 'It does nothing.' }, 'com.acme.notes');
  await upload('2.0.0', ['a.example.com', 'b.example.com'], '# Three');
  return store;
}

describe('the versions of an app, as seen by its publisher', () => {
  it('are listed in every status, newest upload first, in pages', async () => {
    const store = await openWithVersions();
    const first = await bodyOf(store.as('ben', 'GET', `${APP}/versions?limit=2`));
    expect(first.versions).toMatchObject([
      {
        version: '2.0.0',
        status: 'in_review',
        publishedAt: null,
        reasons: ['permissions-widened', 'publisher-unverified'],
      },
      { version: '1.1.0', status: 'rejected', notes: 'It does nothing.' },
    ]);
    const rest = await bodyOf(store.as('ben', 'GET', `${APP}/versions?limit=2&cursor=${first.nextCursor}`));
    expect(rest).toMatchObject({
      versions: [{ version: '1.0.0', status: 'published', publishedAt: expect.any(String) }],
      nextCursor: null,
    });
    await store.call('POST', `/api${APP}/versions/2.0.0/withdraw`, { session: store.sessions.anna });
    expect((await bodyOf(store.as('ben', 'GET', `${APP}/versions`))).versions).toMatchObject([
      { version: '2.0.0', status: 'rejected', notes: 'withdrawn', retracted: true },
      { version: '1.1.0', status: 'rejected', retracted: false },
      { version: '1.0.0', retracted: false },
    ]);
    const wrong = await bodyOf(store.as('ben', 'GET', `${APP}/versions?cursor=W10`));
    expect(wrong).toMatchObject({ httpStatus: 400, code: 'invalid_request' });
  });

  it('show status, changed permissions and review position, but not the moderator', async () => {
    const store = await openWithVersions();
    const judge = await store.signedIn('judge', { role: 'moderator' });
    const waiting = await bodyOf(store.as('ben', 'GET', `${APP}/versions/2.0.0`));
    expect(waiting).toMatchObject({
      httpStatus: 200,
      appId: 'com.acme.notes',
      status: 'in_review',
      permissionDiff: { baseVersion: '1.0.0', domainsAdded: ['b.example.com'], widens: true },
      moves: [{ to: 'checking' }, { to: 'in_review' }],
      review: { position: 1, of: 1 },
      changelog: '# Three',
    });
    const review = '/api/moderation/apps/com.acme.notes/versions/2.0.0';
    await store.call('POST', `${review}/reject`, { session: judge, json: { note: 'Why b?' } });
    const decided = await store.as('ben', 'GET', `${APP}/versions/2.0.0`);
    const text = await decided.text();
    expect(JSON.parse(text)).toMatchObject({ review: null, notes: 'Why b?' });
    expect(text).not.toMatch(/"by"|judge/);
    expect(decided.headers.get('cache-control')).toBe('no-store');
  });

  it('can be compared in both directions', async () => {
    const store = await openWithVersions();
    const diff = (from: string, to: string) =>
      bodyOf(store.as('ben', 'GET', `${APP}/diff?from=${from}&to=${to}`));
    expect(await diff('1.1.0', '2.0.0')).toMatchObject({
      baseVersion: '1.1.0',
      domainsAdded: ['b.example.com'],
      domainsRemoved: [],
      widens: true,
    });
    expect(await diff('2.0.0', '1.0.0')).toMatchObject({
      domainsAdded: [],
      domainsRemoved: ['b.example.com'],
      widens: false,
    });
  });

  it('show their icon before they are published, only to members of the publisher', async () => {
    const store = await openWithVersions();
    const path = `${APP}/versions/2.0.0/pictures`;
    const icon = await store.as('ben', 'GET', `${path}/icon`);
    expect([icon.status, icon.headers.get('content-type'), icon.headers.get('cache-control')]).toEqual([
      200,
      'image/png',
      'no-store',
    ]);
    expect(icon.headers.get('content-security-policy')).toContain('sandbox');
    expect((await icon.arrayBuffer()).byteLength).toBe(Number(icon.headers.get('content-length')));
    const mark = await store.as('ben', 'GET', `${path}/mark`);
    expect([mark.status, mark.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    // No other file of the bundle is available at this address.
    expect((await store.as('ben', 'GET', `${path}/plugin.json`)).status).toBe(400);
    const stranger = await store.signedIn('stranger');
    const asked = `/api/publishers/acme${path}/icon`;
    expect((await store.call('GET', asked, { session: stranger })).status).toBe(404);
  });

  it('answer 404 if they do not exist, also on either side of a comparison', async () => {
    const store = await openWithVersions();
    for (const path of ['/versions/9.9.9', '/diff?from=9.9.9&to=1.0.0', '/diff?from=1.0.0&to=9.9.9']) {
      const answer = await bodyOf(store.as('anna', 'GET', APP + path));
      expect([path, answer.httpStatus]).toEqual([path, 404]);
    }
    expect((await store.as('anna', 'GET', `${APP}/diff?from=1.0.0`)).status).toBe(400);
  });
});
