import { describe, expect, it } from 'vitest';
import { contentsOf } from '../support/database.ts';
import { ADMIN_TOKEN, bodyOf, openTestStore } from '../support/test-store.ts';

const queueWith = (authorization: string) => ({ headers: { authorization } });

describe('who calls', () => {
  it.each([
    '',
    'Bearer',
    'Bearer ',
    'Basic abc',
    `Bearer ${ADMIN_TOKEN}x`,
    `Bearer ${ADMIN_TOKEN} x`,
    ADMIN_TOKEN,
    'Bearer svcc_0',
    "Bearer ' or 1=1",
  ])('is nobody with %j', async (authorization) => {
    const store = await openTestStore();
    const answer = await store.call('GET', '/api/moderation/queue', queueWith(authorization));
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="svc"');
    expect(await bodyOf(answer)).toMatchObject({ httpStatus: 401, code: 'unauthorized' });
  });

  it('may write the scheme in any case (RFC 9110 section 11.1)', async () => {
    const store = await openTestStore();
    expect(
      (await store.call('GET', '/api/moderation/queue', queueWith(`bearer ${ADMIN_TOKEN}`))).status,
    ).toBe(200);
  });

  it('is nobody any more after 90 days', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken();
    store.advance(90 * 24 * 3_600_000 - 1);
    expect((await store.publish(token)).status).toBe(201);
    store.advance(1);
    expect(await bodyOf(store.publish(token, { version: '2.0.0' }))).toMatchObject({ code: 'unauthorized' });
  });

  it('is kept as a hash only', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken();
    await store.publish(token);
    const contents = await contentsOf(store.folder);
    expect(contents).toContain('com.example.notes');
    expect(contents).not.toContain(token);
    expect(contents).not.toContain(ADMIN_TOKEN);
    expect(store.lines.join('\n')).not.toContain(token);
    expect(store.lines.join('\n')).not.toContain(ADMIN_TOKEN);
  });
});
