import { describe, expect, it } from 'vitest';
import { ANNA, browserAt, signInAt, signUpAt } from '../../support/browser.ts';
import { contentsOf } from '../../support/database.ts';
import { bodyOf, jsonOf, openTestStore, type TestStore } from '../../support/test-store.ts';

const NEW = 'quite another password';

async function annaOf(store: TestStore): Promise<string> {
  return (await store.stores.people.findByEmail(ANNA.email))?.id ?? '';
}

async function linkFor(store: TestStore, id: string) {
  const link = await jsonOf<{ url: string; expiresAt: string }>(
    store.admin('POST', `/api/admin/people/${id}/reset-link`),
  );
  const { pathname, search, searchParams } = new URL(link.url);
  return { ...link, path: pathname + search, key: searchParams.get('key') ?? '' };
}

describe('a link to set a new password', () => {
  it('sets the password once, ends all sessions of the user, and signs in', async () => {
    const store = await openTestStore();
    const before = await signUpAt(store);
    const { path, key, expiresAt } = await linkFor(store, await annaOf(store));
    expect(expiresAt).toBe('2026-03-01T13:00:00.000Z');
    const browser = browserAt(store);
    expect(await (await browser.open(path)).text()).toContain('Set a new password for Anna Ash');
    expect((await browser.submit('/reset', { key, password: NEW })).status).toBe(303);
    expect((await browser.send('GET', '/api/people/me')).status).toBe(200);
    expect((await before.send('GET', '/api/people/me')).status).toBe(401);
    expect((await signInAt(store)).answer.status).toBe(403);
    expect((await signInAt(store, { ...ANNA, password: NEW })).answer.status).toBe(303);
    await browser.open('/api/people/me');
    expect((await browser.open(path)).status).toBe(404);
    expect((await browser.submit('/reset', { key, password: 'a third password' })).status).toBe(404);
  });

  it('works for one of several concurrent requests', async () => {
    const store = await openTestStore();
    await signUpAt(store);
    const { path, key } = await linkFor(store, await annaOf(store));
    const browsers = [1, 2, 3, 4].map(() => browserAt(store));
    await Promise.all(browsers.map((browser) => browser.open(path)));
    const answers = await Promise.all(
      browsers.map((browser, i) => browser.submit('/reset', { key, password: `the password number ${i}` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 404, 404, 404]);
  });

  it('expires after an hour, and is invalidated by any other change of the password', async () => {
    const store = await openTestStore();
    const browser = await signUpAt(store);
    const { path } = await linkFor(store, await annaOf(store));
    const change = { current: ANNA.password, password: NEW };
    expect((await browser.script('PUT', '/api/people/me/password', change)).status).toBe(200);
    expect((await browserAt(store).open(path)).status).toBe(404);
    const other = await linkFor(store, await annaOf(store));
    store.advance(3_600_000 - 1);
    expect((await browserAt(store).open(other.path)).status).toBe(200);
    store.advance(1);
    expect((await browserAt(store).open(other.path)).status).toBe(404);
  });

  it('is refused if its user, expiry or MAC was changed', async () => {
    const store = await openTestStore();
    await signUpAt(store);
    await signUpAt(store, { ...ANNA, email: 'ben@example.com' });
    const ben = (await store.stores.people.findByEmail('ben@example.com'))?.id ?? '';
    const { key } = await linkFor(store, await annaOf(store));
    const [id = '', until = '', seal = ''] = key.split('.');
    const forged = [
      [Buffer.from(ben).toString('base64url'), until, seal],
      [id, String(Number(until) + 1), seal],
      [id, 'Infinity', seal],
      [id, until, ''],
      [id, until, seal.slice(0, -1)],
    ];
    for (const parts of forged) {
      expect((await browserAt(store).open(`/reset?key=${parts.join('.')}`)).status).toBe(404);
    }
  });

  it('is refused for a suspended user', async () => {
    const store = await openTestStore();
    await signUpAt(store);
    const id = await annaOf(store);
    const { path } = await linkFor(store, id);
    await store.admin('PATCH', `/api/admin/people/${id}`, { suspended: true });
    expect((await browserAt(store).open(path)).status).toBe(404);
  });

  it('is created only by administrators, with an audit entry, and is neither in the database nor in the log', async () => {
    const store = await openTestStore();
    await signUpAt(store);
    const id = await annaOf(store);
    const moderator = await store.signedIn('mona', { role: 'moderator' });
    const path = `/api/admin/people/${id}/reset-link`;
    expect((await store.call('POST', path, { session: moderator })).status).toBe(403);
    expect(await bodyOf(store.admin('POST', '/api/admin/people/nobody/reset-link'))).toMatchObject({
      httpStatus: 404,
    });
    const { key } = await linkFor(store, id);
    const { entries } = await bodyOf(store.admin('GET', '/api/admin/audit?action=password.link'));
    expect(entries).toMatchObject([{ actor: 'automation', detail: { person: id } }]);
    expect(await contentsOf(store.folder)).not.toContain(key.split('.')[2]);
    expect(store.lines.join('\n')).not.toContain(key.split('.')[2]);
  });
});
