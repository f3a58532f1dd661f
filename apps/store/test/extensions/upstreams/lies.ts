import { generateSigningKeyPem, readSigningKey, signRevocationHead, signRevocations } from '@svc/signing';
import { APP, type Lie } from './support.ts';

const HEAD = `/api/apps/${APP}/head`;
const DETAIL = `/api/apps/${APP}`;
const LIST_HEAD = '/api/revocations/head';
const CATALOG = '/api/apps/catalog';
const KEYS = '/api/apps/public-keys';
const FOREIGN = readSigningKey(generateSigningKeyPem());
const TEN_GB = String(10 * 1024 ** 3);

const isBundle = (path: string): boolean => path.endsWith('/bundle');

/** An answer without an end, which may say how long it is. */
const endless = (headers: Record<string, string> = {}): Response =>
  new Response(
    new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(1024 * 1024).fill(32)) }),
    {
      headers,
    },
  );

const inside = (): Response =>
  new Response(null, { status: 302, headers: { location: 'http://169.254.169.254/latest/meta-data' } });

const at =
  (isAt: (path: string) => boolean, answer: () => Response): Lie =>
  (path) =>
    isAt(path) ? answer() : undefined;

/** An answer with a changed body. */
const changed =
  (at: string, change: (body: Record<string, unknown>) => unknown): Lie =>
  async (path, own) =>
    path === at ? Response.json(change((await (await own()).json()) as Record<string, unknown>)) : undefined;

/** The headers of a bundle with another one. */
const withHeader =
  (name: string, value: string): Lie =>
  async (path, own) => {
    if (!isBundle(path)) return undefined;
    const { body, headers } = await own();
    const next = new Headers(headers);
    next.set(name, value);
    next.delete('content-length');
    return new Response(body, { headers: next });
  };

const foreignList = () => signRevocations([], '2098-01-01T00:00:00.000Z', FOREIGN);

/** A list, in both forms, that another key signed; and what is answered to the question for its keys. */
const ofForeignKey =
  (keys: () => Response | undefined): Lie =>
  (path) => {
    if (path === LIST_HEAD)
      return Response.json(signRevocationHead(foreignList(), { segments: [], open: [] }, FOREIGN));
    if (path === '/api/apps/revocations') return Response.json(foreignList());
    return path === KEYS ? keys() : undefined;
  };

/**
 * What an upstream may send beside what it has signed, and how that ends: with a failure of the upstream, or a refusal of the version. Nothing
 * new is listed of any.
 */
export const LIES: readonly (readonly [
  what: string,
  lie: Lie,
  failure: string | null,
  note: RegExp | null,
])[] = [
  ['a head without an end', at((path) => path === HEAD, endless), 'failed', null],
  ['a head at another address', at((path) => path === HEAD, inside), 'unreachable', null],
  [
    'a head of another app',
    changed(HEAD, (body) => ({ ...body, appId: 'com.other.app' })),
    'not-verified',
    null,
  ],
  [
    'a head with another latest version',
    changed(HEAD, (body) => ({ ...body, latest: '9.9.9' })),
    'not-verified',
    null,
  ],
  [
    'no head any more',
    at(
      (path) => path === HEAD,
      () => new Response('', { status: 404 }),
    ),
    'rolled-back',
    null,
  ],
  [
    'a catalogue of 10 GB',
    at(
      (path) => path === CATALOG,
      () => endless({ 'content-length': TEN_GB }),
    ),
    'failed',
    null,
  ],
  ['a catalogue at another address', at((path) => path === CATALOG, inside), 'unreachable', null],
  [
    'the catalogue to members alone',
    at(
      (path) => path === CATALOG,
      () => Response.json({ code: 'unauthorized', message: 'Sign in.', requestId: 'r' }, { status: 401 }),
    ),
    'unreachable',
    null,
  ],
  ['lists of a key that it does not list', ofForeignKey(() => undefined), 'not-verified', null],
  [
    'lists of a key, and keys that are no chain',
    ofForeignKey(() =>
      Response.json({
        keys: [{ ...FOREIGN, createdAt: '2026-01-01T00:00:00.000Z' }].map(
          ({ keyId, publicKeyPem, createdAt }) => ({ keyId, publicKeyPem, createdAt }),
        ),
      }),
    ),
    'not-verified',
    null,
  ],
  ['lists of a key, and keys without an end', ofForeignKey(() => endless()), 'failed', null],
  [
    'the page of another app',
    changed(DETAIL, (body) => ({ ...body, appId: 'com.other.app' })),
    'unreachable',
    null,
  ],
  [
    'a bundle of 10 GB',
    at(isBundle, () => endless({ 'content-length': TEN_GB, 'content-type': 'application/zip' })),
    null,
    null,
  ],
  ['a bundle at another address', at(isBundle, inside), 'unreachable', null],
  ['a bundle that is cut', withHeader('x-svc-sha256', '0'.repeat(64)), null, null],
  ['a bundle without its signature', withHeader('x-svc-signature', 'none'), 'unreachable', null],
  [
    'a statement of its origin that is none',
    withHeader('x-svc-origin', '%%%'),
    null,
    /carries it from another one/,
  ],
  [
    'an app that it carries itself',
    changed(DETAIL, (body) => ({ ...body, origin: { store: 'https://third.example', publisher: 'x' } })),
    null,
    /carries it from another one/,
  ],
];
