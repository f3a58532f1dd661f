import { createHash } from 'node:crypto';
import path from 'node:path';
import type { StoreKey } from '@svc/contracts';
import { footprintOf } from '@svc/permissions';
import {
  appendKey,
  factsOf,
  generateSigningKeyPem,
  readSigningKey,
  type SigningKey,
  signFacts,
} from '@svc/signing';
import { asManifest } from '@svc/validator/as-manifest';
import { MANIFEST } from './app-folder.ts';
import { testCli } from './command-context.ts';
import { fakeStore } from './fake-store.ts';

/** When the store published the app. */
export const PUBLISHED_AT = '2026-01-02T03:04:05.678Z';
/** What `svc verify` verifies. */
export const TARGET = `${MANIFEST.id}@${MANIFEST.version}`;

/** A key of a store. */
export const newKey = () => readSigningKey(generateSigningKeyPem());

/** The headers of a correct store for a bundle. */
export function headersOf(bytes: Uint8Array, key: SigningKey): Record<string, string> {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const release = { appId: MANIFEST.id, version: MANIFEST.version, sha256, publishedAt: PUBLISHED_AT };
  const { signature, keyId } = signFacts(factsOf(release, footprintOf(asManifest(MANIFEST))), key);
  return {
    'X-Svc-Sha256': sha256,
    'X-Svc-Signature': signature,
    'X-Svc-Key-Id': keyId,
    'X-Svc-Published-At': PUBLISHED_AT,
  };
}

/** The chain of a store that has had one key. */
export const firstKeys = ({ keyId, publicKeyPem }: SigningKey): StoreKey[] => [
  { keyId, publicKeyPem, createdAt: '2026-01-01T00:00:00.000Z' },
];

/** A chain of keys, each signed by the one before it. */
export function chainOf(first: SigningKey, ...others: SigningKey[]): StoreKey[] {
  let [keys, last] = [firstKeys(first), first];
  others.forEach((next, n) => {
    keys = appendKey(keys, last, next, `2026-01-0${n + 2}T00:00:00.000Z`);
    last = next;
  });
  return keys;
}

/** A store with one app; a test can change its answers. */
export async function storeWith(bytes: Uint8Array, key = newKey()) {
  const said = {
    bytes,
    headers: headersOf(bytes, key),
    keys: firstKeys(key) as object[] | null,
    attestation: null as string | null,
    log: null as string | null,
    current: key,
  };
  const missing = { code: 'not_found', message: 'There is no such app.', requestId: '1' };
  /** JSON, or null for a 404; undefined for the bundle. */
  const answerOf = (path = ''): string | null | undefined => {
    if (path.endsWith('/attestation')) return said.attestation;
    if (path.endsWith('/log-proof')) return said.log;
    if (path === '/api/apps/public-keys') return said.keys && JSON.stringify({ keys: said.keys });
    const { keyId, publicKeyPem } = said.current;
    return path === '/api/apps/public-key' ? JSON.stringify({ keyId, publicKeyPem }) : undefined;
  };
  const { url, seen } = await fakeStore((request, response) => {
    const text = answerOf(request.url);
    if (text === undefined) response.writeHead(200, said.headers).end(said.bytes);
    else response.writeHead(text === null ? 404 : 200).end(text ?? JSON.stringify(missing));
  });
  const cli = await testCli({ SVC_STORE: url });
  const pins = path.join(cli.env.XDG_CONFIG_HOME ?? '', 'svc', 'keys.json');
  return { ...cli, said, key, seen, url, pins };
}
