import { describe, expect, it } from 'vitest';
import { has } from '../../support/extensions.ts';
import { openPublishedStore } from '../../support/published-store.ts';
import { bodyOf } from '../../support/test-store.ts';

const APP = '/api/apps/com.example.notes';
const REASON = 'It sends notes to <another> server.';

async function opened() {
  const { store } = await openPublishedStore();
  const { rules } = await bodyOf(store.call('GET', '/api/policy'));
  const rule = rules.find(({ id }: { id: string }) => id !== 'other') as { id: string; title: string };
  const page = (path: string) => store.call('GET', path, { headers: { accept: 'text/html' } });
  return { ...store, rule, page };
}

describe('a stopped app', () => {
  it.each([
    ['PATCH', '/api/admin/apps/com.example.notes', 'The store suspended the app com.example.notes'],
    ['PATCH', '/api/admin/publishers/example', 'The store suspended the publisher example'],
    ['POST', `${APP}/versions/1.0.0/yank`, 'The store yanked every version of com.example.notes'],
  ])('says when, by which rule and why: %s %s', async (method, path, said) => {
    const store = await opened();
    const { rule } = store;
    const json = { reason: REASON, rule: rule.id, ...(method === 'PATCH' && { suspended: true }) };
    expect((await store.admin(method, path, json)).status).toBe(200);
    const at = store.clock().toISOString();
    const day = at.slice(0, 10);
    expect(await bodyOf(store.call('GET', APP))).toMatchObject({
      httpStatus: 410,
      code: 'stopped',
      message: `${said} on ${day}. The rule: ${rule.title}. The reason: “${REASON}”`,
      tombstone: { at, rule: { id: rule.id, title: rule.title }, words: REASON },
    });
    const pages = [
      '/apps/com.example.notes',
      ...(path.includes('publishers') ? ['/publishers/example'] : []),
    ];
    for (const shown of has('storefront') ? pages : []) {
      const answer = await store.page(shown);
      const text = await answer.text();
      expect([shown, answer.status]).toEqual([shown, 410]);
      expect(text).toContain(`${said} on ${day}.`);
      expect(text).toContain('It sends notes to &lt;another&gt; server.');
      expect(text).toContain(`#${rule.id}">The rule: `);
    }
    // One version alone says the same, where it was yanked itself.
    if (path.endsWith('yank'))
      expect(await bodyOf(store.call('GET', `${APP}/versions/1.0.0/bundle`))).toMatchObject({
        ...{ httpStatus: 410, code: 'yanked' },
        tombstone: { at, rule: { id: rule.id }, words: REASON },
      });
    const feed = await store.call('GET', '/feeds/apps/com.example.notes.json');
    expect(feed.status).toBe(has('feeds') ? 410 : 404);
    expect(await bodyOf(store.call('GET', '/api/apps/catalog'))).toMatchObject({ total: 0 });
  });

  it('cites its rule also under many later decisions about other apps of its publisher', async () => {
    const store = await opened();
    await store.admin('POST', `${APP}/versions/1.0.0/yank`, { reason: REASON, rule: store.rule.id });
    store.advance(1_000);
    const decidedAt = store.clock().toISOString();
    const about = { publisher: 'example', appId: 'com.example.other', version: '1.0.0' };
    const cited = { rule: 'other', policy: 1, note: '', decidedBy: 'moderator', decidedAt };
    for (let n = 0; n < 101; n += 1)
      await store.stores.decisions.add({ id: `later-${n}`, kind: 'version-yanked', ...about, ...cited });
    expect((await bodyOf(store.call('GET', APP))).tombstone.rule).toMatchObject({ id: store.rule.id });
  });

  it('names its publisher, and no rule, where that yanked it', async () => {
    const { store, token } = await openPublishedStore();
    await store.call('POST', `${APP}/versions/1.0.0/yank`, { token, json: { reason: 'It lost notes.' } });
    const { message, tombstone } = await bodyOf(store.call('GET', APP));
    expect(message).toMatch(
      /^Its publisher yanked every version of com\.example\.notes on [\d-]+\. The reason/,
    );
    expect(tombstone).toMatchObject({ rule: null, words: 'It lost notes.' });
  });

  it('is 404 where it was never published, also while it is suspended, and published again at the end', async () => {
    const store = await opened();
    const token = await store.publisherToken('example');
    await store.publish(token, { id: 'com.example.secret' });
    await store.admin('PATCH', '/api/admin/apps/com.example.secret', { suspended: true });
    expect(await bodyOf(store.call('GET', '/api/apps/com.example.secret'))).toMatchObject({
      httpStatus: 404,
      code: 'not_found',
    });
    for (const suspended of [true, false])
      await store.admin('PATCH', '/api/admin/apps/com.example.notes', { suspended, reason: REASON });
    expect((await store.call('GET', APP)).status).toBe(200);
  });
});
