import { createHash } from 'node:crypto';
import { MIRROR_FILE } from '@svc/contracts';
import { generateSigningKeyPem, mirrorPath, readSigningKey, signMirror } from '@svc/signing';
import { expect, it } from 'vitest';
import { pinKey } from '../../src/io/key-store.ts';
import { testCli } from '../support/command-context.ts';

const STORE = 'https://store.test';
const MIRROR = 'https://mirror.test/svc';
const NOW = new Date('2026-01-02T03:04:05.000Z');
const key = readSigningKey(generateSigningKeyPem());
const { keyId, publicKeyPem } = key;
const APP = {
  ...{ appId: 'com.example.tidy', name: 'Tidy of the mirror', tagline: 'Tidies.', description: 'Tidies.' },
  ...{ categories: ['productivity'], version: '1.0.0', publishedAt: '2026-01-01T00:00:00.000Z' },
  publisher: { slug: 'example', name: 'Example', verified: false, website: '' },
  ...{ iconUrl: `${STORE}/icon`, markUrl: '', accent: '', homepage: '', support: '', screenshots: [] },
  ...{ permissions: [], grants: [], domains: [], accounts: [], tools: [], installs: 0, size: 1 },
  ...{ rating: { average: 0, count: 0 }, readme: '', versions: [] },
};

/** The files of a mirror that has one app. */
function files(signedAt: Date): Map<string, string> {
  const all = new Map<string, string>();
  const add = (value: unknown): string => {
    const text = JSON.stringify(value);
    const sha256 = createHash('sha256').update(text).digest('hex');
    all.set(mirrorPath(sha256, 'json'), text);
    return sha256;
  };
  const detail = {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: { text: JSON.stringify(APP) },
  };
  const index = {
    ...{ store: STORE, answers: {}, entries: [add({ apps: [] })], log: null },
    apps: [add({ answers: { '/api/apps/com.example.tidy': detail }, logged: {} })],
    deprecations: add({ apps: [] }),
  };
  const text = JSON.stringify(index);
  add(index);
  const root = signMirror(
    Buffer.from(text),
    signedAt.toISOString(),
    [{ keyId, publicKeyPem, createdAt: '2025-01-01T00:00:00.000Z' }],
    key,
  );
  return all.set(MIRROR_FILE, JSON.stringify(root));
}

/** `svc info` with a mirror, and the hosts that it asked. */
async function info(signedAt: Date, isPinned: boolean) {
  const served = files(signedAt);
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = async (input) => {
    const url = String(input);
    asked.push(new URL(url).host);
    if (!url.startsWith(MIRROR)) return Response.json({ ...APP, name: 'Tidy of the store' });
    const text = served.get(url.slice(MIRROR.length + 1));
    return text === undefined ? new Response('', { status: 404 }) : new Response(text);
  };
  const { run, env } = await testCli({ SVC_MIRRORS: MIRROR, SVC_STORE: STORE }, { fetch, now: () => NOW });
  if (isPinned) await pinKey(env, STORE, { current: { keyId, publicKeyPem }, earlier: [] });
  return { ...(await run('info', 'com.example.tidy')), asked: [...new Set(asked)] };
}

it('asks a mirror of a store whose key is pinned, and the store not at all', async () => {
  const { code, out, err, asked } = await info(NOW, true);
  expect({ code, err, asked }).toEqual({ code: 0, err: '', asked: ['mirror.test'] });
  expect(out).toContain('Tidy of the mirror');
});

it('says why a mirror is not used, and asks the store', async () => {
  const { code, out, err, asked } = await info(new Date(NOW.getTime() - 4 * 3_600_000), true);
  expect({ code, asked }).toEqual({ code: 0, asked: ['mirror.test', 'store.test'] });
  expect(out).toContain('Tidy of the store');
  expect(err).toBe(`svc: the mirror ${MIRROR} is not used: it is stale.\n`);
});

it('asks no mirror of a store whose key it does not know', async () => {
  const { out, asked } = await info(NOW, false);
  expect(asked).toEqual(['store.test']);
  expect(out).toContain('Tidy of the store');
});

it('refuses an address that is none of a mirror', async () => {
  const { run } = await testCli({ SVC_MIRRORS: 'http://mirror.test', SVC_STORE: STORE });
  expect(await run('info', 'com.example.tidy')).toMatchObject({
    code: 2,
    err: expect.stringContaining('begins with https://'),
  });
});
