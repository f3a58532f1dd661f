import { generateSigningKeyPem, keyRing, readSigningKey, verifyHead, versionsHashOf } from '@svc/signing';
import { sampleBundle } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { beginsDownload } from '../../../src/core/catalog/routes.ts';
import { bodyOf, openTestStore } from '../../support/test-store.ts';

const part = (range?: string) =>
  new Response('x', { status: 206, ...(range && { headers: { 'content-range': range } }) });

it.each([
  ['begins with a whole file', 'GET', new Response('x'), true],
  ['begins with the first range', 'GET', part('bytes 0-99/1000'), true],
  ['begins with a redirect', 'GET', new Response(null, { status: 307 }), true],
  ['does not begin with a later range', 'GET', part('bytes 100-199/1000'), false],
  ['does not begin with the last byte', 'GET', part('bytes 999-999/1000'), false],
  ['does not begin with several ranges', 'GET', part(), false],
  ['does not begin with HEAD', 'HEAD', new Response(null), false],
  ['does not begin with 304', 'GET', new Response(null, { status: 304 }), false],
  ['does not begin with an unsatisfiable range', 'GET', new Response(null, { status: 416 }), false],
])('a download %s', (_what, method, answer, begins) => {
  expect(beginsDownload(method, answer)).toBe(begins);
});

const APP = '/api/apps/com.example.notes';
const HEAD = `${APP}/head`;

async function started(...versions: readonly string[]) {
  const store = await openTestStore();
  const token = await store.publisherToken('example', true);
  for (const version of versions) {
    await store.upload(token, sampleBundle({ version }));
    if (version === versions[0]) await store.decide('approve', version);
  }
  const head = async (query = '?list=1') => {
    const { httpStatus, ...body } = await bodyOf(store.call('GET', HEAD + query));
    return { status: httpStatus, ...body };
  };
  const { publicKeyPem } = await bodyOf(store.call('GET', '/api/apps/public-key'));
  return { store, token, head, ring: keyRing([{ publicKeyPem }]) };
}

describe('the head of an app', () => {
  it('is signed by the current key, over all published and yanked versions', async () => {
    const { store, head, ring } = await started('1.0.0', '1.0.1', '1.1.0');
    const { status, list, ...statement } = await head();
    expect([status, verifyHead(statement, ring)]).toEqual([200, true]);
    expect(verifyHead(statement, keyRing([readSigningKey(generateSigningKeyPem())]))).toBe(false);
    expect(statement).toMatchObject({
      appId: 'com.example.notes',
      latest: '1.1.0',
      versions: versionsHashOf(list),
    });
    store.advance(1);
    expect(
      (await store.admin('POST', `${APP}/versions/1.1.0/yank`, { reason: 'It lost notes.' })).status,
    ).toBe(200);
    const { list: after, ...later } = await head();
    expect(later.latest).toBe('1.0.1');
    expect(later.signedAt > statement.signedAt).toBe(true);
    expect(
      Object.fromEntries(after.map((one: { version: string; state: string }) => [one.version, one.state])),
    ).toEqual({
      '1.0.0': 'published',
      '1.0.1': 'published',
      '1.1.0': 'yanked',
    });
    const { versions } = await bodyOf(store.call('GET', APP));
    for (const { version, sha256 } of versions)
      expect(after).toContainEqual({ version, sha256, state: 'published' });
  });

  it('has exactly the fields of the statement without the list', async () => {
    const { head } = await started('1.0.0');
    const { status: _status, ...statement } = await head('');
    expect(Object.keys(statement).sort()).toEqual([
      'appId',
      'keyId',
      'latest',
      'signature',
      'signedAt',
      'versions',
    ]);
  });

  it('has a time within the hour, the same in every process, and later after each change', async () => {
    const { store, token, head } = await started('1.0.0');
    const now = () => store.clock().getTime();
    store.advance(3 * 3_600_000);
    const first = await head();
    const age = now() - Date.parse(first.signedAt);
    expect(age >= 0 && age <= 10 * 60_000).toBe(true);
    expect(await head()).toEqual(first);
    store.advance(1);
    await store.upload(token, sampleBundle({ version: '1.0.1' }));
    const second = await head();
    expect(second.signedAt > first.signedAt && second.versions !== first.versions).toBe(true);
  });

  it('is not sent from a cache, and not for an app that is unknown, in review, yanked or suspended', async () => {
    const { store, head } = await started('1.0.0');
    const response = await store.call('GET', HEAD);
    expect(response.headers.get('cache-control')).toBe('public, no-cache');
    const again = await store.call('GET', HEAD, {
      headers: { 'If-None-Match': response.headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
    expect((await store.call('GET', '/api/apps/com.example.other/head')).status).toBe(404);
    await store.admin('POST', `${APP}/versions/1.0.0/yank`, { reason: 'It lost notes.' });
    expect((await head()).status).toBe(404);
  });
});
