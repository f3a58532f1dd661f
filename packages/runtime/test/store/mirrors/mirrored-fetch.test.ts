import { createHash } from 'node:crypto';
import { MIRROR_FILE, type MirrorIndex, type MirrorRoot, type StoreKey } from '@svc/contracts';
import {
  appendKey,
  generateSigningKeyPem,
  mirrorPath,
  readSigningKey,
  type SigningKey,
  signMirror,
} from '@svc/signing';
import { describe, expect, it } from 'vitest';
import { createMirroredFetch, mirrorAddresses } from '../../../src/store/mirrors/mirrored-fetch.ts';

const STORE = 'https://store.example';
const MIRRORS = ['https://one.example/svc', 'https://two.example'] as const;
const LIST = '/api/apps/revocations';
const NOW = Date.parse('2026-03-01T12:00:00.000Z');
const HOUR = 3_600_000;

const newKey = (): SigningKey => readSigningKey(generateSigningKeyPem());
const [key, foreign, newer] = [newKey(), newKey(), newKey()];
const chainOf = (own: SigningKey): StoreKey[] => [
  { keyId: own.keyId, publicKeyPem: own.publicKeyPem, createdAt: '2025-01-01T00:00:00.000Z' },
];
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');
const at = (ms: number) => new Date(NOW + ms).toISOString();

/** The files of a mirror, which a test may change. */
type Files = Map<string, string>;

const add = (files: Files, text: string): string => {
  files.set(mirrorPath(sha256(text), 'json'), text);
  return sha256(text);
};

/** A mirror whose list is a text, and what makes it hostile. */
function mirrorOf(
  text: string,
  change: {
    index?(index: MirrorIndex): unknown;
    signedAt?: string;
    signer?: SigningKey;
    keys?: StoreKey[];
    root?(root: MirrorRoot): unknown;
    files?(files: Files): void;
  } = {},
): Files {
  const files: Files = new Map();
  const empty = add(files, JSON.stringify({ answers: {}, logged: {} }));
  const index: MirrorIndex = {
    store: STORE,
    answers: {
      [LIST]: { status: 200, headers: { etag: '"m"' }, body: { sha256: add(files, text), kind: 'json' } },
    },
    entries: [add(files, JSON.stringify({ apps: [] }))],
    apps: [empty],
    deprecations: add(files, JSON.stringify({ apps: [] })),
    log: null,
  };
  const bytes = Buffer.from(JSON.stringify(change.index?.(index) ?? index));
  files.set(mirrorPath(sha256(bytes), 'json'), bytes.toString());
  const root = signMirror(
    bytes,
    change.signedAt ?? at(-60_000),
    change.keys ?? chainOf(key),
    change.signer ?? key,
  );
  files.set(MIRROR_FILE, JSON.stringify(change.root?.(root) ?? root));
  change.files?.(files);
  return files;
}

type Served = Files | ((path: string) => Response | Promise<Response>);

/** A client of a store with mirrors, without a network. */
function clientOf(served: readonly Served[], { trusted = [key] as SigningKey[], isStoreOn = true } = {}) {
  const asked: { url: string; headers: Headers }[] = [];
  const left: string[] = [];
  let now = NOW;
  const back: string[] = [];
  let mirrors = MIRRORS.slice(0, served.length) as readonly string[];
  const { fetch, list: mirrorsNow } = createMirroredFetch({
    system: {
      now: () => now,
      sleep: (_ms, signal) =>
        new Promise((_, no) => signal?.addEventListener('abort', () => no(signal.reason))),
    },
    store: STORE,
    mirrors: () => mirrors,
    trusted: () => trusted.map(({ keyId, publicKeyPem }) => ({ keyId, publicKeyPem })),
    onLeft: (mirror, why) => left.push(`${mirror}: ${why}`),
    onBack: (mirror) => back.push(mirror),
    async fetch(input, init) {
      const url = String(input);
      asked.push({ url, headers: new Headers(init?.headers) });
      if (url.startsWith(STORE)) {
        if (isStoreOn) return new Response('of the store');
        throw new TypeError('The store is off.');
      }
      const n = MIRRORS.findIndex((mirror) => url.startsWith(`${mirror}/`));
      const path = url.slice((MIRRORS[n] as string).length + 1);
      const files = served[n] as Served;
      if (typeof files === 'function') return files(path);
      const text = files.get(path);
      return text === undefined ? new Response('', { status: 404 }) : new Response(text);
    },
  });
  const headers = { 'X-Svc-Install-Id': 'id', Authorization: 'Bearer token' };
  const list = async () => {
    const response = await fetch(STORE + LIST, { headers });
    return Buffer.from(await response.arrayBuffer()).toString();
  };
  const use = (next: readonly string[]) => {
    mirrors = next;
  };
  return { fetch, list, mirrorsNow, use, asked, left, back, later: (ms: number) => (now += ms) };
}

/** A chain in which the last key was signed by another one than that before it. */
const broken: StoreKey[] = [
  ...chainOf(key),
  { ...(appendKey(chainOf(newer), newer, foreign, at(-HOUR))[1] as StoreKey), successorOf: key.keyId },
];
const rotated = (from: SigningKey, to: SigningKey): StoreKey[] =>
  appendKey(chainOf(from), from, to, at(-HOUR));
const isObject = (path: string) => path.startsWith('objects/');

/** What a mirror may be; the client then asks the next one. */
const HOSTILE: [what: string, served: Served, why: RegExp][] = [
  ['that is away', () => Promise.reject(new TypeError('no route')), /no route/],
  ['that answers 404', new Map(), /HTTP 404/],
  ['that answers 500', () => new Response('', { status: 500 }), /HTTP 500/],
  ['that answers 304 to what was not asked', () => new Response(null, { status: 304 }), /HTTP 304/],
  ['that is a page', () => new Response('<html>'), /malformed/],
  ['that is empty', () => new Response(''), /malformed/],
  ['with a root of another format', mirrorOf('m', { root: (root) => ({ ...root, format: 2 }) }), /malformed/],
  ['with a root without keys', mirrorOf('m', { root: ({ keys: _none, ...root }) => root }), /malformed/],
  [
    'with a root without an end',
    () => new Response(new ReadableStream({ pull: (s) => s.enqueue(new Uint8Array(65_536)) })),
    /more than/,
  ],
  ['signed by another key', mirrorOf('m', { signer: foreign }), /not signed/],
  [
    'signed by another key, which it lists',
    mirrorOf('m', { signer: foreign, keys: chainOf(foreign) }),
    /not signed/,
  ],
  [
    'signed by a key that the last one did not sign',
    mirrorOf('m', { signer: foreign, keys: broken }),
    /not signed/,
  ],
  ['signed by a retired key', mirrorOf('m', { signer: key, keys: rotated(key, foreign) }), /not signed/],
  [
    'with a signature that is cut',
    mirrorOf('m', {
      root: (root) => ({ ...root, index: { ...root.index, signature: `${'A'.repeat(86)}==` } }),
    }),
    /not signed/,
  ],
  [
    'with another time than the signed one',
    mirrorOf('m', { root: (root) => ({ ...root, index: { ...root.index, signedAt: at(0) } }) }),
    /not signed/,
  ],
  [
    'signed under another name',
    mirrorOf('m', { root: (root) => ({ ...root, index: { ...root.index, file: 'policy' } }) }),
    /not signed/,
  ],
  [
    'that names another index',
    mirrorOf('m', { root: (root) => ({ ...root, index: { ...root.index, sha256: sha256('x') } }) }),
    /HTTP 404/,
  ],
  ['that is four hours old', mirrorOf('m', { signedAt: at(-4 * HOUR) }), /stale/],
  ['of the future', mirrorOf('m', { signedAt: at(2 * HOUR) }), /future/],
  [
    'of another store',
    mirrorOf('m', { index: (index) => ({ ...index, store: 'https://other.example' }) }),
    /another store/,
  ],
  ['with an index that is none', mirrorOf('m', { index: () => [] }), /form of a mirror/],
  [
    'with an index without parts',
    mirrorOf('m', { index: (index) => ({ ...index, apps: [] }) }),
    /form of a mirror/,
  ],
  [
    'with a path for a hash',
    mirrorOf('m', { index: (index) => ({ ...index, apps: ['../../etc/passwd'] }) }),
    /form of a mirror/,
  ],
  [
    'with an answer that is a redirect',
    mirrorOf('m', {
      index: (index) => ({ ...index, answers: { [LIST]: { status: 302, headers: {}, body: { text: '' } } } }),
    }),
    /form of a mirror/,
  ],
  [
    'whose index was altered',
    mirrorOf('m', {
      files: (files) => {
        for (const [path, text] of files)
          if (text.includes(STORE)) files.set(path, text.replace('etag', 'etaq'));
      },
    }),
    /other contents/,
  ],
  [
    'whose list was altered',
    mirrorOf('m', { files: (files) => files.set(mirrorPath(sha256('m'), 'json'), 'altered') }),
    /other contents/,
  ],
  [
    'whose list is cut',
    mirrorOf('long text', { files: (files) => files.set(mirrorPath(sha256('long text'), 'json'), 'long') }),
    /other contents/,
  ],
  [
    'whose list is missing',
    mirrorOf('m', { files: (files) => files.delete(mirrorPath(sha256('m'), 'json')) }),
    /HTTP 404/,
  ],
  [
    'with one old file',
    mirrorOf('new', { files: (files) => files.set(mirrorPath(sha256('new'), 'json'), 'old') }),
    /other contents/,
  ],
  [
    'with its list as a file of another kind',
    mirrorOf('m', {
      index: (index) => ({
        ...index,
        answers: { [LIST]: { status: 200, headers: {}, body: { sha256: sha256('m'), kind: 'zip' } } },
      }),
    }),
    /HTTP 404/,
  ],
  [
    'with an answer of a kind that is none',
    mirrorOf('m', {
      index: (index) => ({
        ...index,
        answers: { [LIST]: { status: 200, headers: {}, body: { sha256: sha256('m'), kind: 'html' } } },
      }),
    }),
    /form of a mirror/,
  ],
  [
    'with keys that are none',
    mirrorOf('m', { keys: [{ ...(chainOf(key)[0] as StoreKey), publicKeyPem: 'x' }] }),
    /not signed/,
  ],
  [
    'whose list is a header that no client may set',
    mirrorOf('m', {
      index: (index) => ({
        ...index,
        answers: { [LIST]: { status: 200, headers: { 'a b': 'c' }, body: { text: 'm' } } },
      }),
    }),
    /./,
  ],
  [
    'whose objects have no end',
    (path) =>
      isObject(path)
        ? new Response(new ReadableStream({ pull: (s) => s.enqueue(new Uint8Array(4 * 1024 * 1024)) }))
        : new Response(mirrorOf('m').get(MIRROR_FILE)),
    /more than/,
  ],
];

describe('a store with mirrors', () => {
  it('is not asked while the first mirror answers, which gets no token and no id', async () => {
    const { list, asked, left } = clientOf([mirrorOf('of the mirror'), () => Promise.reject(new Error())]);
    expect(await list()).toBe('of the mirror');
    expect(asked.map(({ url }) => new URL(url).host)).toEqual(['one.example', 'one.example', 'one.example']);
    for (const { headers } of asked)
      expect([headers.get('authorization'), headers.get('x-svc-install-id')]).toEqual([null, null]);
    expect(left).toEqual([]);
    expect(await list()).toBe('of the mirror');
    expect(asked.length).toBe(3);
  });

  it.each(HOSTILE)('leaves a mirror %s for the next one, and for the store', async (_what, served, why) => {
    const next = clientOf([served, mirrorOf('of the second')]);
    expect(await next.list()).toBe('of the second');
    expect(next.left).toEqual([expect.stringMatching(why)]);
    const asked = next.asked.length;
    expect(await next.list()).toBe('of the second');
    expect(next.asked.slice(asked).filter(({ url }) => url.includes('one.example'))).toEqual([]);
    expect(await clientOf([served]).list()).toBe('of the store');
  });

  it('asks a mirror again after a pause, which grows', async () => {
    let isBack = false;
    const files = mirrorOf('of the mirror');
    const one = clientOf([
      (path) => new Response(isBack ? files.get(path) : '', { status: isBack ? 200 : 503 }),
    ]);
    expect(await one.list()).toBe('of the store');
    one.later(31_000);
    expect(await one.list()).toBe('of the store');
    isBack = true;
    one.later(31_000);
    expect(await one.list()).toBe('of the store');
    one.later(120_000);
    // The store was asked since the mirror was signed.
    expect(await one.list()).toBe('of the store');
    const fresh = mirrorOf('of the mirror', { signedAt: at(400_000) });
    for (const [path, text] of fresh) files.set(path, text);
    one.later(500_000);
    expect(await one.list()).toBe('of the mirror');
    expect(one.left.length).toBe(1);
    expect(one.back).toEqual([MIRRORS[0]]);
    expect(one.mirrorsNow()).toEqual([{ address: MIRRORS[0], left: null }]);
  });

  it.each(['/api/revocations/head', LIST, '/api/apps/com.example.notes/head'])(
    'takes no mirror that is older than %s of the store',
    async (path) => {
      const one = clientOf([mirrorOf('of the mirror', { signedAt: at(-60_000) })]);
      one.use([]);
      expect(await (await one.fetch(STORE + path)).text()).toBe('of the store');
      one.use(MIRRORS.slice(0, 1));
      expect(await one.list()).toBe('of the store');
      expect(one.left).toEqual([expect.stringContaining('older than what this client has seen')]);
    },
  );

  it('says of each mirror why it is not used, and follows the settings that name them', async () => {
    const [first, second] = MIRRORS;
    const one = clientOf([new Map(), mirrorOf('of the second')]);
    expect(await one.list()).toBe('of the second');
    expect(one.mirrorsNow()).toEqual([
      { address: first, left: { since: NOW, why: expect.stringContaining('HTTP 404') } },
      { address: second, left: null },
    ]);
    one.use([]);
    expect(await (await one.fetch(`${STORE}/api/apps/com.example.notes`)).text()).toBe('of the store');
    one.use([second]);
    expect(await one.list()).toBe('of the second');
    expect(one.mirrorsNow()).toEqual([{ address: second, left: null }]);
  });

  it('takes no mirror that is older than the last one', async () => {
    const [old, fresh] = [mirrorOf('old', { signedAt: at(-600_000) }), mirrorOf('fresh')];
    const files: Files = new Map(fresh);
    const one = clientOf([files]);
    expect(await one.list()).toBe('fresh');
    for (const [path, text] of old) files.set(path, text);
    one.later(11_000);
    expect(await one.list()).toBe('of the store');
    expect(one.left).toEqual([expect.stringContaining('older than what this client has seen')]);
  });

  it('follows a mirror to the next key of the store', async () => {
    const next = newKey();
    const { list } = clientOf([mirrorOf('of the next key', { signer: next, keys: rotated(key, next) })]);
    expect(await list()).toBe('of the next key');
  });

  it('is asked itself before a key is trusted, and for all that no mirror has', async () => {
    const untrusting = clientOf([mirrorOf('m')], { trusted: [] });
    expect(await untrusting.list()).toBe('of the store');
    const { fetch, asked } = clientOf([mirrorOf('m')]);
    const textOf = async (path: string, init?: RequestInit) =>
      Buffer.from(await (await fetch(STORE + path, init)).arrayBuffer()).toString();
    expect(await textOf('/api/apps/com.example.notes')).toBe('of the store');
    expect(await textOf('/relay/1')).toBe('of the store');
    expect(await textOf(LIST, { method: 'POST' })).toBe('of the store');
    expect(asked.filter(({ url }) => url.startsWith(STORE)).length).toBe(3);
  });

  it('may be off: what a mirror has is answered, also with a 304', async () => {
    const { fetch, list } = clientOf([mirrorOf('m')], { isStoreOn: false });
    expect(await list()).toBe('m');
    const same = await fetch(STORE + LIST, { headers: { 'If-None-Match': '"m"' } });
    expect(same.status).toBe(304);
    await expect(fetch(`${STORE}/relay/1`)).rejects.toThrow('off');
  });

  it('has mirrors at addresses of stores alone, and ten at most', () => {
    expect(mirrorAddresses(['https://mirror.example/svc/'])).toEqual(['https://mirror.example/svc']);
    expect(() => mirrorAddresses(['http://mirror.example'])).toThrow(TypeError);
    expect(() => mirrorAddresses(['https://me:pw@mirror.example'])).toThrow(TypeError);
    expect(() => mirrorAddresses(Array.from({ length: 11 }, () => 'https://mirror.example'))).toThrow(
      TypeError,
    );
  });
});
