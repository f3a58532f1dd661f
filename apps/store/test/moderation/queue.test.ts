import { describe, expect, it } from 'vitest';
import { bodyOf, openTestStore } from '../support/test-store.ts';

describe('the queue', () => {
  it('has the oldest first, and what a newer upload supersedes last', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken();
    for (const [id, version] of [
      ['com.example.a', '1.0.0'],
      ['com.example.b', '1.0.0'],
      ['com.example.a', '1.1.0'],
    ]) {
      await store.publish(token, { id: id as string, version: version as string });
      store.advance(1_000);
    }
    const { entries, total } = await bodyOf(store.admin('GET', '/api/moderation/queue'));
    expect(total).toBe(3);
    expect(
      entries.map((entry: { appId: string; version: string; superseded: boolean }) => [
        entry.appId,
        entry.version,
        entry.superseded,
      ]),
    ).toEqual([
      ['com.example.b', '1.0.0', false],
      ['com.example.a', '1.1.0', false],
      ['com.example.a', '1.0.0', true],
    ]);
    expect((await store.decide('approve', '1.0.0', {}, 'com.example.a')).status).toBe(200);
  });
});
