import { createHash } from 'node:crypto';
import { readBundle } from '@svc/bundle';
import type { Manifest, PublicKey, PublicKeys, PublishResult, VersionStatus } from '@svc/contracts';
import { keyRing, type Verification, verifyBundle } from '@svc/signing';
import { packedSample, png, sampleManifest } from '@svc/testkit';
import { ADMIN_TOKEN } from './store-process.ts';

export type Ref = { appId: string; version: string };

export const nameOf = ({ appId, version }: Ref): string => `${appId} ${version}`;

/** Body of a response about a version: an error code, or the status. */
type Body = { code?: string; status?: string };

/** A response; status 0 when the connection broke, as in a crash. */
export type Answer<T = Body> = { status: number; headers: Headers; body: T };

/** Request timeout in milliseconds. */
const TIMEOUT_MS = 120_000;

export const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** A unique screenshot, so that it must be stored, not deduplicated. */
const screenshotOf = (name: string): Uint8Array => {
  const [width = 0, height = 0, shade = 0] = createHash('sha256').update(name).digest();
  return png(64 + width, 64 + height, shade);
};

/** A small unique bundle: no two versions share a hash. */
export const bundleOf = ({ appId, version }: Ref): Uint8Array => {
  const name = nameOf({ appId, version });
  return packedSample(
    // Keep icon and mark: an update that changes them waits for review.
    { id: appId, version, branding: { ...sampleManifest().branding, screenshots: ['assets/one.png'] } },
    { 'README.md': `# ${name}\n`, 'assets/one.png': screenshotOf(name) },
  );
};

const addressOf = ({ appId, version }: Ref): string =>
  `/api/apps/${appId}/versions/${encodeURIComponent(version)}`;

const readJson = async (response: Response): Promise<unknown> => {
  const text = await response.text();
  return text.startsWith('{') ? JSON.parse(text) : {};
};

/** HTTP client for the experiments. */
export function clientOf(url: string, token = ADMIN_TOKEN) {
  async function call<T>(method: string, path: string, init: RequestInit = {}): Promise<Answer<T>> {
    try {
      const response = await fetch(url + path, {
        method,
        signal: AbortSignal.timeout(TIMEOUT_MS),
        ...init,
        headers: { authorization: `Bearer ${token}`, ...init.headers },
      });
      return { status: response.status, headers: response.headers, body: (await readJson(response)) as T };
    } catch (error) {
      if ((error as Error).name === 'TimeoutError') throw new Error(`${method} ${path} timed out.`);
      return { status: 0, headers: new Headers(), body: {} as T };
    }
  }

  const send = <T = Body>(method: string, path: string, json: unknown): Promise<Answer<T>> =>
    call(method, path, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(json) });

  async function download(path: string): Promise<{ response: Response; bytes: Uint8Array } | null> {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(url + path, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
    const bytes = new Uint8Array(await response.arrayBuffer());
    return response.ok ? { response, bytes } : null;
  }

  return {
    get: <T>(path: string) => call<T>('GET', path),
    /** @param headers `connection: close` for a connection of its own, so that the server cannot have ended it while it was idle */
    upload: (bytes: Uint8Array, headers: Readonly<Record<string, string>> = {}) =>
      call<PublishResult & { code?: string }>('POST', '/api/apps/publish', {
        body: bytes as Uint8Array<ArrayBuffer>,
        headers: { 'content-type': 'application/zip', ...headers },
      }),
    makePublisher: (slug: string) =>
      send('POST', '/api/admin/publishers', { slug, name: `The ${slug}`, verified: true }),
    approve: ({ appId, version }: Ref) =>
      send('POST', `/api/moderation/apps/${appId}/versions/${version}/approve`, {}),
    reject: ({ appId, version }: Ref) =>
      send('POST', `/api/moderation/apps/${appId}/versions/${version}/reject`, { note: 'Not like this.' }),
    withdraw: (ref: Ref) => call<Body>('POST', `${addressOf(ref)}/withdraw`),
    yank: (ref: Ref) => send('POST', `${addressOf(ref)}/yank`, { reason: 'It did harm.' }),
    report: ({ appId, version }: Ref) =>
      send('POST', `/api/apps/${appId}/reports`, {
        ...{ version, category: 'malware' },
        evidence: 'It sends every note to a host that it does not name.',
      }),
    status: (ref: Ref) => call<VersionStatus>('GET', `${addressOf(ref)}/status`),
    keys: async () => (await call<PublicKeys>('GET', '/api/apps/public-keys')).body.keys,
    file: download,
    bundle: (ref: Ref) => download(`${addressOf(ref)}/bundle`),
    bundleInReview: ({ appId, version }: Ref) =>
      download(`/api/moderation/apps/${appId}/versions/${version}/bundle`),
    address: addressOf,
  };
}

export type Client = ReturnType<typeof clientOf>;

/** The manifest inside a bundle, as a client reads it. */
export function manifestOf(bytes: Uint8Array): Manifest {
  const reading = readBundle(bytes);
  const text = reading.ok && reading.entries.get('plugin.json');
  if (!text) throw new Error('The bundle cannot be read.');
  return JSON.parse(new TextDecoder().decode(text));
}

/** The release in the headers of a bundle. */
export const releaseOf = (ref: Ref, headers: Headers) => ({
  ...ref,
  sha256: headers.get('x-svc-sha256') ?? '',
  publishedAt: headers.get('x-svc-published-at') ?? '',
  signature: headers.get('x-svc-signature') ?? '',
  keyId: headers.get('x-svc-key-id') ?? '',
});

/**
 * Downloads and verifies a published version; null when it is not available.
 * @param keys keys of the store; default: fetched
 */
export async function downloadAndVerify(
  client: Client,
  ref: Ref,
  keys?: readonly PublicKey[],
): Promise<{ bytes: Uint8Array; verification: Verification } | null> {
  const download = await client.bundle(ref);
  if (!download) return null;
  const { response, bytes } = download;
  const ring = keyRing(keys ?? (await client.keys()));
  const release = releaseOf(ref, response.headers);
  return { bytes, verification: verifyBundle(bytes, manifestOf(bytes), release, ring) };
}
