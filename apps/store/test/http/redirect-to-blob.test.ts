import { randomBytes, randomUUID } from 'node:crypto';
import { needsS3, type S3Server, sampleBundle, startS3Server } from '@svc/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createS3Client, TIMEOUTS } from '../../src/adapters/s3/s3-client.ts';
import { readSettings } from '../../src/composition/settings.ts';
import { bodyOf, openTestStore } from '../support/test-store.ts';

const BUCKET = {
  SVC_BLOBS: 's3://apps?endpoint=https://s3.example.com',
  AWS_ACCESS_KEY_ID: 'a',
  AWS_SECRET_ACCESS_KEY: 'b',
};
const APP = '/api/apps/com.example.large';
const BUNDLE = `${APP}/versions/1.0.0/bundle`;
const FOLLOWS = { 'x-svc-redirect': '1' };

describe('the setting SVC_BUNDLE_REDIRECT', () => {
  it.each(['0', '4', '301', '60s', '-60', '1e2'])('rejects %s', (text) => {
    expect(() => readSettings({ ...BUCKET, SVC_BUNDLE_REDIRECT: text })).toThrow(
      'SVC_BUNDLE_REDIRECT must be a whole number of seconds from 5 to 300',
    );
  });

  it('requires a bucket with a public https endpoint or one on this machine', () => {
    expect(() => readSettings({ SVC_BUNDLE_REDIRECT: '60' })).toThrow(/needs SVC_BLOBS/);
    const endpoint = (address: string) => ({
      ...BUCKET,
      SVC_BUNDLE_REDIRECT: '60',
      SVC_BLOBS: `s3://apps?endpoint=${address}`,
    });
    for (const elsewhere of [
      'http://s3.internal',
      'https://s3.internal:8333',
      'https://10.0.0.1',
      'https://[fd00::1]',
    ]) {
      expect(() => readSettings(endpoint(elsewhere))).toThrow(/an endpoint with https:/);
    }
    expect(readSettings(endpoint('http://127.0.0.1:8333')).bundleRedirect).toBe(60);
    expect(readSettings(endpoint('https://s3.example.com')).bundleRedirect).toBe(60);
  });
});

describe('a bundle in a real S3', needsS3(), () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await startS3Server();
  });
  afterAll(() => server?.stop());

  const large = sampleBundle(
    { id: 'com.example.large', name: 'Large' },
    { 'assets/noise.bin': randomBytes(400_000) },
  );

  async function storeWithBundle(more: Record<string, string> = {}) {
    const store = await openTestStore({
      environment: {
        SVC_BLOBS: `s3://${server.bucket}/${randomUUID()}?endpoint=${server.endpoint}`,
        AWS_ACCESS_KEY_ID: server.accessKeyId,
        AWS_SECRET_ACCESS_KEY: server.secretAccessKey,
        SVC_BUNDLE_REDIRECT: '60',
        ...more,
      },
    });
    const token = await store.publisherToken();
    const answer = await store.call('POST', '/api/apps/publish', { token, body: Buffer.from(large) });
    expect(answer.status).toBe(201);
    await store.decide('approve', '1.0.0', {}, 'com.example.large');
    return { store, token };
  }

  it('is served by a redirect to S3 for a client that follows redirects', async () => {
    const { store } = await storeWithBundle();
    const answer = await store.call('GET', BUNDLE, { headers: FOLLOWS });
    expect(answer.status).toBe(307);
    expect(answer.headers.get('cache-control')).toBe('private, no-store');
    expect(answer.headers.get('x-svc-signature')).toMatch(/^[\w+/]{86}==$/);
    const address = new URL(answer.headers.get('location') ?? '');
    expect(address.origin).toBe(server.endpoint);
    expect(address.searchParams.get('X-Amz-Expires')).toBe('60');
    // Servers interpret a plus differently.
    expect(address.search).not.toContain('+');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(await answer.text()).toBe('');
    expect(address.href).not.toContain(server.secretAccessKey);
    const bytes = await fetch(address);
    expect(Buffer.from(await bytes.arrayBuffer()).equals(large)).toBe(true);
    expect(Object.fromEntries(bytes.headers)).toMatchObject({
      'content-type': 'application/zip',
      'content-disposition': 'attachment; filename="com.example.large-1.0.0.svc-app"',
      'cache-control': 'private, no-store',
    });
    expect(store.lines.join('\n')).not.toContain('X-Amz-Signature');
  });

  it.each([
    ['a client without the header X-Svc-Redirect', {}, 200],
    ['a range', { ...FOLLOWS, range: 'bytes=0-3' }, 206],
  ])('is served by the store for %s', async (_what, headers, status) => {
    const { store } = await storeWithBundle();
    const answer = await store.call('GET', BUNDLE, { headers });
    expect([answer.status, answer.headers.get('location')]).toEqual([status, null]);
    expect(
      Buffer.from(await answer.arrayBuffer()).equals(large.subarray(0, status === 206 ? 4 : undefined)),
    ).toBe(true);
  });

  it('has no redirect once it is yanked or suspended, or without permission to read', async () => {
    const { store, token } = await storeWithBundle();
    const etag = (await store.call('GET', BUNDLE, { headers: FOLLOWS })).headers.get('etag') ?? '';
    const held = await store.call('GET', BUNDLE, { headers: { ...FOLLOWS, 'if-none-match': etag } });
    expect([held.status, held.headers.get('location')]).toEqual([304, null]);
    const suspend = (suspended: boolean) =>
      store.admin('PATCH', '/api/admin/apps/com.example.large', { suspended });
    await suspend(true);
    expect((await store.call('GET', BUNDLE, { headers: FOLLOWS })).status).toBe(404);
    await suspend(false);
    await store.call('POST', `${APP}/versions/1.0.0/yank`, { token, json: { reason: 'It is broken.' } });
    const yanked = await store.call('GET', BUNDLE, { headers: FOLLOWS });
    expect([yanked.status, yanked.headers.get('location')]).toEqual([410, null]);
    const closed = (await storeWithBundle({ SVC_READ: 'members' })).store;
    const outsider = await closed.call('GET', BUNDLE, { token: null, headers: FOLLOWS });
    expect([outsider.status, outsider.headers.get('location')]).toEqual([401, null]);
  });

  it('counts as an install when its redirect is sent', async () => {
    const { store } = await storeWithBundle();
    const headers = { ...FOLLOWS, 'x-svc-install-id': 'installation-0001' };
    expect((await store.call('GET', BUNDLE, { headers })).status).toBe(307);
    await store.writeInstalls();
    expect(await bodyOf(store.call('GET', APP))).toMatchObject({ installs: 1 });
  });

  it('has a signed URL that expires and is valid only for this blob', async () => {
    const { endpoint, bucket, accessKeyId, secretAccessKey } = server;
    const settings = { endpoint, bucket, accessKeyId, secretAccessKey, region: 'us-east-1', prefix: '' };
    const client = createS3Client(settings, TIMEOUTS);
    const content = {
      sha256: '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881',
      size: 1,
      open: () => 'x',
    };
    for (const key of ['one', 'other'])
      await client.send({ method: 'PUT', key, content, accept: [200] }, (answer) => answer.text());
    const address = await client.addressOf('one', 60, {});
    const statusOf = async (place: string) => (await fetch(place)).status;
    expect(await statusOf(address)).toBe(200);
    expect(await statusOf(address.replace('/one?', '/other?'))).toBe(403);
    expect(await statusOf(address.replace('X-Amz-Expires=60', 'X-Amz-Expires=9999'))).toBe(403);
    const ended = await client.addressOf('one', 1, {});
    await expect.poll(() => statusOf(ended)).toBe(403);
  });
});
