import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { has } from '../../support/extensions.ts';
import { bodyOf, openTestStore } from '../../support/test-store.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../../../docs/proxies.md'), 'utf8');

/** The rows of the table of what may be cached: an address, and its header. */
const ROWS = Array.from(
  PAGE.matchAll(/^\| `(\/[^`]*)` \|[^|]*\| `([^`]+)` \|/gm),
  ([, path = '', header = '']) => ({
    path: path
      .replace('{appId}', 'com.example.notes')
      .replace('{version}', '1.0.0')
      .replace('{path}', 'assets/icon.png'),
    header,
  }),
).filter(({ path }) => path.startsWith('/api/') || has(path === '/' ? 'storefront' : 'docs'));

async function opened(environment: Record<string, string>) {
  const store = await openTestStore({ environment });
  const token = await store.publisherToken('example', true);
  const { version } = await bodyOf(store.publish(token, { version: '1.0.0' }));
  await store.decide('approve', version);
  return { store, token };
}

describe('what may be cached, as docs/proxies.md lists it', () => {
  it('is what the store says of each address', async () => {
    const { store } = await opened({});
    expect(ROWS.length).toBeGreaterThan(6);
    for (const { path, header } of ROWS) {
      const answer = await store.call('GET', path);
      expect([path, answer.status, answer.headers.get('cache-control')]).toEqual([path, 200, header]);
    }
  });

  it('is for the caller alone in a store for members, and differs by caller', async () => {
    const { store } = await opened({ SVC_READ: 'members' });
    const token = await bodyOf(
      store.admin('POST', '/api/admin/tokens', { publisher: 'example', scopes: ['read'] }),
    );
    for (const { path, header } of ROWS.filter((row) => !row.path.startsWith('/docs'))) {
      const answer = await store.call('GET', path, { token: token.token });
      const said = answer.headers.get('cache-control');
      expect([path, answer.status, said]).toEqual([path, 200, header.replace('public', 'private')]);
      expect(answer.headers.get('vary')).toContain('Authorization');
      // Without a token nothing of it is sent, and no cache keeps the refusal.
      const refused = await store.call('GET', path, { headers: { accept: 'application/json' } });
      expect([path, refused.headers.get('cache-control')]).toEqual([path, 'no-store']);
    }
  });
});
