import { describe, expect, it } from 'vitest';
import { bodyOf, openTestStore } from '../../support/test-store.ts';

describe('the transparency report', () => {
  it('counts the decisions, the appeals and the reports of a year', async () => {
    const store = await openTestStore();
    await store.publish(await store.publisherToken());
    await store.decide('reject', '1.0.0', { reason: 'malicious' });
    const { db } = store.stores;
    const at = store.clock().toISOString();
    await db.updateTable('decisions').set({ appeal_state: 'open', appealed_at: at }).execute();
    const ref = { app_id: 'com.example.notes', version: '1.0.0', publisher: 'example' };
    const from = { person_id: 'anna', domain: '', network: '', weight: 1 };
    const report = { id: 'r', category: 'spam', evidence: '', state: 'open', reported_at: at } as const;
    await db
      .insertInto('reports')
      .values({ ...ref, ...from, ...report })
      .execute();
    const year = store.clock().getUTCFullYear();
    expect(await bodyOf(store.call('GET', `/api/transparency?year=${year}`))).toMatchObject({
      year,
      decisions: [{ kind: 'version-rejected', rule: 'malicious', count: 1 }],
      appeals: [{ what: 'open', count: 1 }],
      reports: [{ category: 'spam', state: 'open', count: 1 }],
    });
    const page = await (await store.call('GET', '/transparency')).text();
    expect(page).toContain('Versions rejected');
    expect(await bodyOf(store.call('GET', `/api/transparency?year=${year - 1}`))).toMatchObject({
      decisions: [],
    });
  });
});
