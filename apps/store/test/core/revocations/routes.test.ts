import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RevocationHead, RevocationList } from '@svc/contracts';
import {
  entriesHashOf,
  keyRing,
  listHashOf,
  readSigningKey,
  signRevocations,
  verifyRevocationHead,
  verifyRevocationList,
} from '@svc/signing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../../src/composition/serve.ts';
import { openPublishedStore } from '../../support/published-store.ts';
import { bodyOf, jsonOf, openTestStore, type TestStore } from '../../support/test-store.ts';

const PATH = '/api/apps/revocations';
const YANK = '/api/apps/com.example.notes/versions/1.0.0/yank';

const ringOf = async (store: TestStore) => keyRing([await jsonOf(store.call('GET', '/api/apps/public-key'))]);

describe('GET /api/apps/revocations', () => {
  it('returns a signed empty list before the first yank', async () => {
    const store = await openTestStore();
    const list = await jsonOf<RevocationList>(store.call('GET', PATH));
    expect(Object.keys(list).sort()).toEqual(['entries', 'signature', 'signedAt']);
    expect(list.entries).toEqual([]);
    expect(verifyRevocationList(list, await ringOf(store))).toBe(true);
  });

  it('contains a version immediately after its yank, and permanently', async () => {
    const { store, token } = await openPublishedStore();
    await store.call('GET', PATH);
    await store.call('POST', YANK, { token, json: { reason: 'It lost notes.' } });
    const entry = {
      appId: 'com.example.notes',
      version: '1.0.0',
      reason: 'It lost notes.',
      at: '2026-03-01T12:00:00.000Z',
    };
    for (const hours of [0, 1, 24 * 365]) {
      store.advance(hours * 3_600_000);
      const list = await jsonOf<RevocationList>(store.call('GET', PATH));
      expect(list.entries).toEqual([entry]);
      expect(verifyRevocationList(list, await ringOf(store))).toBe(true);
      if (hours > 0) expect(list.signedAt > entry.at).toBe(true);
    }
  });

  it('is compressed for clients that accept it, with a different ETag for each encoding', async () => {
    const { store, token } = await openPublishedStore();
    await store.call('POST', YANK, { token, json: { reason: 'It lost notes. '.repeat(50) } });
    const server = await listen(store, 0, '127.0.0.1');
    onTestFinished(() => server.close());
    const ask = async (form: string) => {
      const response = await fetch(`http://127.0.0.1:${server.port}${PATH}`, {
        headers: { 'accept-encoding': form },
      });
      const { headers } = response;
      return {
        form: headers.get('content-encoding'),
        etag: headers.get('etag'),
        text: await response.text(),
      };
    };
    const [plain, zipped, brotli] = [await ask('identity'), await ask('gzip'), await ask('br')];
    expect([plain.form, zipped.form, brotli.form]).toEqual([null, 'gzip', 'br']);
    expect(new Set([plain.etag, zipped.etag, brotli.etag]).size).toBe(3);
    expect([zipped.text, brotli.text]).toEqual([plain.text, plain.text]);
  });

  it('can be cached for 30 seconds, and answers 304 if it has not changed', async () => {
    const { store, token } = await openPublishedStore();
    const first = await store.call('GET', PATH);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[^"]+"$/);
    expect(first.headers.get('cache-control')).toBe('public, max-age=30');
    const again = () => store.call('GET', PATH, { headers: { 'if-none-match': etag } });
    expect((await again()).status).toBe(304);
    await store.call('POST', YANK, { token, json: { reason: 'It lost notes.' } });
    expect((await again()).status).toBe(200);
  });

  it('stays valid with unusual characters in a reason; a lone surrogate is refused', async () => {
    const { store, token } = await openPublishedStore();
    const answer = await bodyOf(store.call('POST', YANK, { token, json: { reason: 'a \ud800 b' } }));
    expect(answer).toMatchObject({ httpStatus: 400, issues: [{ path: '/reason' }] });
    const odd = 'é \u2028 <script> 😀 \u0001';
    await store.call('POST', YANK, { token, json: { reason: odd } });
    const list = await jsonOf<RevocationList>(store.call('GET', PATH));
    expect(list.entries).toMatchObject([{ reason: odd }]);
    expect(verifyRevocationList(list, await ringOf(store))).toBe(true);
  });

  it('is the same in two processes on one database a second after a yank', async () => {
    const { store, token } = await openPublishedStore();
    const twin = await openTestStore({ folder: store.folder });
    const listOf = (one: TestStore) => jsonOf<RevocationList>(one.call('GET', PATH));
    expect(await listOf(twin)).toEqual(await listOf(store));
    await store.call('POST', YANK, { token, json: { reason: 'It lost notes.' } });
    twin.advance(1_000);
    expect((await listOf(twin)).entries).toHaveLength(1);
    expect(await listOf(twin)).toEqual(await listOf(store));
  });
});

describe('the list in parts', () => {
  const headOf = (store: TestStore) => jsonOf<RevocationHead>(store.call('GET', '/api/revocations/head'));

  /** A store whose list has so many yanks, of versions that it does not know. */
  async function storeWithYanks(count: number) {
    const first = await openTestStore();
    await first.close();
    const key = readSigningKey(await readFile(join(first.folder, 'keys', 'signing-key.pem'), 'utf8'));
    const entries = Array.from({ length: count }, (_, n) => ({
      ...{ appId: 'com.example.gone', version: `1.0.${n}`, reason: 'It lost notes.' },
      at: new Date(Date.parse('2026-01-01T00:00:00.000Z') + n * 60_000).toISOString(),
    }));
    const list = signRevocations(entries, '2026-03-01T00:00:00.000Z', key);
    await writeFile(join(first.folder, 'blobs', 'revocations'), JSON.stringify(list));
    return openTestStore({ folder: first.folder });
  }

  const segmentOf = (store: TestStore, sha256: string) =>
    store.call('GET', `/api/revocations/segments/${sha256}`);

  it('has segments that make the whole, in every process, and may be kept for ever', async () => {
    const store = await storeWithYanks(300);
    const twin = await openTestStore({ folder: store.folder });
    const list = await jsonOf<RevocationList>(store.call('GET', PATH));
    const head = await headOf(store);
    expect(await headOf(twin)).toEqual(head);
    expect(head.segments.length).toBeGreaterThan(1);
    const entries = [...head.open];
    for (const { sha256, bytes } of head.segments) {
      const response = await segmentOf(twin, sha256);
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      const body = Buffer.from(await response.arrayBuffer());
      expect([body.byteLength, createHash('sha256').update(body).digest('hex')]).toEqual([bytes, sha256]);
      entries.push(...JSON.parse(body.toString()));
    }
    expect(entries).toHaveLength(300);
    expect(listHashOf(entries)).toBe(entriesHashOf(list));
  });

  it('serves the segments of the lists before, and no others', async () => {
    const store = await storeWithYanks(300);
    const { segments } = await headOf(store);
    store.advance(3_600_000);
    expect((await headOf(store)).segments).toEqual(segments);
    expect((await segmentOf(store, segments[0]?.sha256 ?? '')).status).toBe(200);
    const answer = await segmentOf(store, '0'.repeat(64));
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([404, 'no-store']);
  });

  it('is signed, and has the time and the hash of the whole list', async () => {
    const { store, token } = await openPublishedStore();
    await store.call('POST', YANK, { token, json: { reason: 'It lost notes.' } });
    const [list, head] = [await jsonOf<RevocationList>(store.call('GET', PATH)), await headOf(store)];
    expect(verifyRevocationHead(head, await ringOf(store))).toBe(true);
    expect([head.signedAt, head.list, head.open]).toEqual([list.signedAt, entriesHashOf(list), list.entries]);
  });
});
