import { describe, expect, it } from 'vitest';
import { bodyOf, openTestStore } from '../../support/test-store.ts';

describe('tokens', () => {
  it('are created for a publisher with all or the requested scopes, valid for 90 days', async () => {
    const store = await openTestStore();
    await store.admin('POST', '/api/admin/publishers', { slug: 'acme', name: 'Acme' });
    const made = await bodyOf(store.admin('POST', '/api/admin/tokens', { publisher: 'acme' }));
    expect(made).toMatchObject({
      httpStatus: 201,
      token: expect.stringMatching(/^svcc_/),
      scopes: ['publish:new', 'publish:update', 'yank', 'status', 'read'],
      expiresAt: '2026-05-30T12:00:00.000Z',
    });
    const narrow = await bodyOf(
      store.admin('POST', '/api/admin/tokens', { publisher: 'acme', scopes: ['status', 'status'] }),
    );
    expect(narrow.scopes).toEqual(['status']);
    expect(narrow.token).not.toBe(made.token);
  });

  it.each([
    [{ publisher: 'nobody' }, 404, 'unknown_publisher'],
    [{}, 400, 'invalid_request'],
    [{ publisher: 'acme', scopes: [] }, 400, 'invalid_request'],
    [{ publisher: 'acme', scopes: ['admin'] }, 400, 'invalid_request'],
  ])('are refused for %j', async (json, httpStatus, code) => {
    const store = await openTestStore();
    expect(await bodyOf(store.admin('POST', '/api/admin/tokens', json))).toMatchObject({ httpStatus, code });
  });

  it('are created only by administrators', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken();
    expect(
      (await store.call('POST', '/api/admin/tokens', { token, json: { publisher: 'example' } })).status,
    ).toBe(403);
  });
});
