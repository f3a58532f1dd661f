import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { packBundle } from '@svc/bundle';
import type {
  AppHead,
  HeadVersion,
  Manifest,
  OriginStatement,
  RevocationEntry,
  RevocationHead,
  StoreKey,
} from '@svc/contracts';
import { footprintOf } from '@svc/permissions';
import {
  appendKey,
  factsOf,
  generateSigningKeyPem,
  originHeader,
  type Release,
  type ReleaseSignature,
  readSigningKey,
  type SigningKey,
  signFacts,
  signHead,
  signRevocationHead,
  signRevocations,
} from '@svc/signing';
import { sampleFiles, sampleManifest } from '@svc/testkit';
import { onTestFinished } from 'vitest';

export const APP = 'com.example.notes';

/** The path of the bundle of its first version. */
export const BUNDLE = `/api/apps/${APP}/versions/1.0.0/bundle`;

const PUBLISHED_AT = '2026-01-01T00:00:00.000Z';

/** A version as a store serves it: each part can be replaced by that of another version. */
export type Published = {
  manifest: Manifest;
  bytes: Uint8Array;
  release: Release & ReleaseSignature;
  /** The statement from which store it comes, as the store sends it. */
  origin?: OriginStatement;
};

type Lie = (response: ServerResponse, request: IncomingMessage) => void;

export const newKey = (): SigningKey => readSigningKey(generateSigningKeyPem());

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Signs an app like a store, without validation. */
export function signApp(
  key: SigningKey,
  changes: Partial<Manifest> = {},
  files: Record<string, Uint8Array | string | null> = {},
): Published {
  const manifest = sampleManifest(changes);
  const bytes = packBundle(sampleFiles(manifest, files));
  const { id: appId, version } = manifest;
  const release = { appId, version, sha256: sha256(bytes), publishedAt: PUBLISHED_AT };
  const seal = signFacts(factsOf(release, footprintOf(manifest)), key);
  return { manifest, bytes, release: { ...release, ...seal } };
}

function detailOf(url: string, all: readonly Published[], latest: Published) {
  const { manifest, bytes } = latest;
  const { id: appId, name, description, permissions } = manifest;
  const entry = {
    appId,
    name,
    description,
    permissions,
    tagline: name,
    categories: manifest.categories ?? [],
  };
  return {
    ...entry,
    publisher: { slug: 'example', name: 'Example', verified: true, website: '' },
    version: latest.release.version,
    publishedAt: PUBLISHED_AT,
    iconUrl: `${url}/icon.png`,
    ...{ markUrl: '', accent: '', homepage: '', support: '' },
    screenshots: [],
    ...{ grants: [], domains: [], accounts: [], tools: [] },
    installs: 0,
    rating: { average: 0, count: 0 },
    size: bytes.length,
    readme: '',
    versions: all.map(({ release, bytes: { length: size } }) => ({
      ...{ version: release.version, publishedAt: release.publishedAt, changelog: '', size },
      ...{ sha256: release.sha256, signature: release.signature, keyId: release.keyId },
      ...{ grants: [], domains: [], accounts: [], bundleUrl: `${url}/bundle` },
    })),
  };
}

const headersOf = ({ release: { sha256: hash, signature, keyId, publishedAt }, origin }: Published) => ({
  'Content-Type': 'application/zip',
  'X-Svc-Sha256': hash,
  'X-Svc-Signature': signature,
  'X-Svc-Key-Id': keyId,
  'X-Svc-Published-At': publishedAt,
  ...(origin && { 'X-Svc-Origin': originHeader(origin) }),
});

/** A store on a port of its own that signs correctly, except where the test makes it lie; closed when the test ends. */
export async function startSigningStore() {
  const state = {
    key: newKey(),
    chain: [] as StoreKey[],
    /** By app and version, in the order of publication; the last one of an app is its latest. */
    published: new Map<string, Published>(),
    entries: [] as RevocationEntry[],
    signedAt: '2026-01-01T00:00:00.000Z',
    /** How many entries each segment of the revocation list has; null for a store that serves the whole list only. */
    perSegment: null as number | null,
    /** The time of the heads; null for a store that signs none. It moves with every version that is served. */
    headAt: Date.parse('2026-01-01T00:00:00.000Z') as number | null,
  };
  state.chain = [
    { keyId: state.key.keyId, publicKeyPem: state.key.publicKeyPem, createdAt: '2025-01-01T00:00:00.000Z' },
  ];
  const lies = new Map<string, Lie>();
  const seen: { url: string; installId: string | undefined; ifNoneMatch: string | undefined }[] = [];

  const answer = (response: ServerResponse, status: number, body: unknown) =>
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  const refuse = (response: ServerResponse, status: number, code: string) =>
    answer(response, status, { code, message: `No: ${code}.`, requestId: 'r-1' });

  /** The head of an app with its versions, as the store would sign it now. */
  function headOf(appId: string): AppHead | null {
    const list = [...state.published]
      .filter(([name]) => name.startsWith(`${appId}@`))
      .map(([name, { release }]): HeadVersion => {
        const version = name.slice(appId.length + 1);
        const isYanked = state.entries.some((one) => one.appId === appId && one.version === version);
        return { version, sha256: release.sha256, state: isYanked ? 'yanked' : 'published' };
      });
    const latest = list.findLast((one) => one.state === 'published')?.version;
    if (state.headAt === null || latest === undefined) return null;
    const at = new Date(state.headAt).toISOString();
    return { ...signHead({ appId, latest, versions: list }, at, state.key), list };
  }

  function serveApp(response: ServerResponse, appId: string, version: string | undefined): void {
    const versions = [...state.published.values()].filter(({ release }) => release.appId === appId);
    const latest = versions.at(-1);
    const one = state.published.get(`${appId}@${version}`);
    if (one) response.writeHead(200, headersOf(one)).end(one.bytes);
    else if (latest && version === undefined) answer(response, 200, detailOf(url, versions, latest));
    else refuse(response, 404, 'not_found');
  }

  function serveTagged(response: ServerResponse, known: string | undefined, body: object): void {
    const tag = `"${sha256(Buffer.from(JSON.stringify(body)))}"`;
    response.setHeader('ETag', tag);
    if (known === tag) response.writeHead(304).end();
    else answer(response, 200, body);
  }

  const listNow = () => signRevocations(state.entries, state.signedAt, state.key);

  /** The segments of the list by their hash, and the entries after the last one. */
  function cutUp(size: number) {
    const whole = state.entries.length - (state.entries.length % size);
    const segments = new Map<string, Buffer>();
    for (let start = 0; start < whole; start += size) {
      const bytes = Buffer.from(JSON.stringify(state.entries.slice(start, start + size)));
      segments.set(sha256(bytes), bytes);
    }
    return { segments, open: state.entries.slice(whole) };
  }

  /** The head of the revocation list, as the store would sign it now. */
  function listHead(size = state.perSegment ?? 1): RevocationHead {
    const { segments, open } = cutUp(size);
    const named = [...segments].map(([name, bytes]) => ({ sha256: name, bytes: bytes.byteLength }));
    return signRevocationHead(listNow(), { segments: named, open }, state.key);
  }

  /** @returns whether the path is one of the list in parts, and was answered */
  function servedInParts(path: string, response: ServerResponse, known: string | undefined): boolean {
    if (state.perSegment === null) return false;
    if (path === '/api/revocations/head') serveTagged(response, known, listHead());
    else {
      const segment = cutUp(state.perSegment).segments.get(path.split('/').at(-1) ?? '');
      if (!path.startsWith('/api/revocations/segments/') || !segment) return false;
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(segment);
    }
    return true;
  }

  function serve(path: string, response: ServerResponse, known: string | undefined): void {
    const all = [...state.published.values()];
    const [, appId = '', version] = /^\/api\/apps\/([^/]+)(?:\/versions\/([^/]+)\/bundle)?$/.exec(path) ?? [];
    if (path === '/api/apps/catalog') {
      const apps = all.map((one) => detailOf(url, [one], one));
      answer(response, 200, { apps, nextCursor: null, total: apps.length });
    } else if (path === '/api/apps/public-keys') answer(response, 200, { keys: state.chain });
    else if (path === '/api/apps/revocations') {
      serveTagged(response, known, listNow());
    } else if (path.endsWith('/head')) {
      const head = headOf(path.split('/').at(-2) ?? '');
      if (head) answer(response, 200, head);
      else refuse(response, 404, 'not_found');
    } else serveApp(response, appId, version);
  }

  const server = createServer((request, response) => {
    const path = decodeURIComponent((request.url ?? '').split('?')[0] ?? '');
    seen.push({
      url: request.url ?? '',
      installId: request.headers['x-svc-install-id'] as string | undefined,
      ifNoneMatch: request.headers['if-none-match'],
    });
    const lie = lies.get(path);
    if (lie) lie(response, request);
    else if (!servedInParts(path, response, request.headers['if-none-match']))
      serve(path, response, request.headers['if-none-match']);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  return {
    url,
    seen,
    state,
    /** Serves a version, as the latest of its app. */
    serve(one: Published, as: Pick<Release, 'appId' | 'version'> = one.release): Published {
      state.published.set(`${as.appId}@${as.version}`, one);
      if (state.headAt !== null) state.headAt += 1;
      return one;
    },
    publish(
      changes: Partial<Manifest> = {},
      files: Record<string, Uint8Array | string | null> = {},
    ): Published {
      return this.serve(signApp(state.key, changes, files));
    },
    /** Replaces the answer for a path; null restores it. */
    lie(path: string, lie: Lie | null): void {
      if (lie) lies.set(path, lie);
      else lies.delete(path);
    },
    /** Rotates to a new key. */
    rotate(at: string): void {
      const next = newKey();
      state.chain = appendKey(state.chain, state.key, next, at);
      state.key = next;
    },
    /** Yanks these versions of the app, and lifts the yank of all others. */
    yank(signedAt: string, ...versions: string[]): void {
      state.entries = versions.map((version) => ({
        appId: APP,
        version,
        reason: 'It lost notes.',
        at: signedAt,
      }));
      state.signedAt = signedAt;
      if (state.headAt !== null) state.headAt += 1;
    },
    answer,
    refuse,
    headOf,
    listHead,
  };
}

export type SigningStore = Awaited<ReturnType<typeof startSigningStore>>;
