import type { Policy } from '@svc/contracts';
import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { has } from '../../support/extensions.ts';
import { bodyOf, openTestStore } from '../../support/test-store.ts';

const APP = 'com.example.notes';

const opened = () => openTestStore();

type Store = Awaited<ReturnType<typeof opened>>;

describe('the policy', () => {
  const current = async (store: Store, query = '') =>
    (await bodyOf(store.call('GET', `/api/policy${query}`))) as unknown as Policy;

  it(
    'has versions that stay, and refuses a change of another version than the newest',
    BOTH_DATABASES,
    async () => {
      const store = await opened();
      const { version: from, intro, rules } = await current(store);
      const change = {
        from,
        intro,
        rules: rules.filter(({ id }) => id !== 'function'),
        note: 'Fewer rules.',
      };
      expect((await store.admin('PUT', '/api/admin/policy', change)).status).toBe(200);
      // The same again changes nothing, and neither does it without the version that was read.
      expect((await store.admin('PUT', '/api/admin/policy', change)).status).toBe(200);
      const { from: _, ...unread } = change;
      expect((await store.admin('PUT', '/api/admin/policy', unread)).status).toBe(200);
      const other = { ...change, intro: 'Others.' };
      expect((await store.admin('PUT', '/api/admin/policy', other)).status).toBe(409);
      expect(await current(store)).toMatchObject({ version: 2, note: 'Fewer rules.' });
      expect((await current(store, '?version=1')).rules.map(({ id }) => id)).toContain('function');
      expect((await store.call('GET', '/policy?version=3')).status).toBe(404);
      // Greater than an integer of PostgreSQL.
      expect((await store.call('GET', '/api/policy?version=2147483648')).status).toBe(400);
      const page = await (await store.call('GET', '/policy')).text();
      expect(page).toContain('id="malicious"');
      expect(page).not.toContain('id="function"');
      expect(page.includes('They can appeal')).toBe(has('appeals'));
      expect(page.includes('href="/transparency"')).toBe(has('transparency'));
    },
  );

  it('must have a rule for other reasons', async () => {
    const store = await opened();
    const { version: from, intro, rules } = await current(store);
    const json = { from, intro, rules: rules.filter(({ id }) => id !== 'other'), note: 'None.' };
    expect((await store.admin('PUT', '/api/admin/policy', json)).status).toBe(400);
  });

  it('is cited by each decision: an unknown rule is refused, a reason without its rule cites the other one', async () => {
    const store = await opened();
    const token = await store.publisherToken();
    await store.publish(token);
    const refused = await store.decide('reject', '1.0.0', { note: 'No.', rule: 'no-such-rule' });
    expect(await bodyOf(refused)).toMatchObject({ code: 'invalid_request', issues: [{ path: '/rule' }] });
    const { version: from, intro, rules } = await current(store);
    const change = { from, intro, rules: rules.filter(({ id }) => id === 'other'), note: 'One rule.' };
    await store.admin('PUT', '/api/admin/policy', change);
    await store.decide('reject', '1.0.0', { reason: 'malicious' });
    await store.publish(token, { version: '1.1.0' });
    await store.decide('reject', '1.1.0', { note: 'No.', rule: 'other' });
    const cited = ['1.0.0', '1.1.0'].map(async (version) => {
      const of = { publisher: 'example', kinds: ['version-rejected'], appId: APP, version } as const;
      const decision = await store.stores.decisions.lastAbout(of);
      return [decision?.rule, decision?.policy];
    });
    expect(await Promise.all(cited)).toEqual([
      ['other', 2],
      ['other', 2],
    ]);
  });
});
