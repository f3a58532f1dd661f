import { KeyId, LIMITS, Sha256, Signature, Timestamp } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { originIn, type Release, type ReleaseSignature } from '@svc/signing';
import type { TimeBounds, TimeLimit } from '../platform/within-time.ts';
import { type Body, invalidResponse, readBody } from './read-json.ts';
import type { StorageFetch } from './store-fetch.ts';
import { REDIRECT_HEADER, type StoreRequests, type StoreResponse } from './store-requests.ts';

/** A version of an app. */
export type VersionRef = { appId: string; version: string };

/** A downloaded bundle, its hash, and the unverified signed facts of the store. */
export type Download = {
  bytes: Uint8Array;
  sha256: string;
  release: Release & ReleaseSignature;
  /** The statement from which other store the version comes, not verified; undefined where the store sent none. */
  origin?: unknown;
};

/** RFC 9110 section 15.4.8: the bytes are at another URL. */
const TEMPORARY_REDIRECT = 307;

/** A validator of external values. */
type Schema<T> = { safeParse(value: unknown): { success: true; data: T } | { success: false } };

const BUNDLE_TIMEOUTS: TimeBounds = { maxMs: 600_000, ms: 30_000 };

/** The signed facts of a bundle, from the response headers. */
function releaseIn(headers: Headers, ref: VersionRef): Release & ReleaseSignature {
  const read = (name: string, schema: Schema<string>): string => {
    const parsed = schema.safeParse(headers.get(name));
    if (!parsed.success) throw invalidResponse(`the header ${name} is missing or malformed`);
    return parsed.data;
  };
  return {
    appId: ref.appId,
    version: ref.version,
    sha256: read('X-Svc-Sha256', Sha256),
    publishedAt: read('X-Svc-Published-At', Timestamp),
    signature: read('X-Svc-Signature', Signature),
    keyId: read('X-Svc-Key-Id', KeyId),
  };
}

/**
 * Creates the function that downloads bundles of a store.
 * @param storage reads from the storage that the store redirects to; without it the store sends the bytes
 * @param installId by which the store counts installs
 */
export function createDownload(
  { request, readResponse, timed }: StoreRequests,
  { storage, installId }: { storage: StorageFetch | undefined; installId: string },
) {
  let isStorageReachable = storage !== undefined;

  /**
   * Downloads from the storage that the store redirects to. Null when it cannot be reached, for example because of a proxy or a wrong
   * clock; from then on the store sends the bytes itself.
   */
  async function readStorage(answer: Response, live: AbortSignal, progress: TimeLimit): Promise<Body | null> {
    await answer.body?.cancel();
    try {
      const address = answer.headers.get('location') ?? '';
      return (
        (await storage?.(address, live, (found) => readBody(found, LIMITS.bundle.bytes, progress))) ?? null
      );
    } catch {
      live.throwIfAborted();
      isStorageReachable = false;
      return null;
    }
  }

  async function readBundle(path: string, live: AbortSignal, progress: TimeLimit): Promise<StoreResponse> {
    const headers = { Accept: 'application/zip', 'X-Svc-Install-Id': installId };
    if (isStorageReachable) {
      const answer = await request(path, live, { ...headers, [REDIRECT_HEADER]: '1' });
      if (answer.status !== TEMPORARY_REDIRECT) return readResponse(answer, LIMITS.bundle.bytes, progress);
      const body = await readStorage(answer, live, progress);
      if (body) return { ...body, headers: answer.headers };
    }
    return readResponse(await request(path, live, headers), LIMITS.bundle.bytes, progress);
  }

  return async function download(ref: VersionRef, signal?: AbortSignal): Promise<Download> {
    const { path } = apiRequest('GET /api/apps/:appId/versions/:version/bundle', { params: ref });
    const { bytes, sha256, headers } = await timed(BUNDLE_TIMEOUTS, signal, (live, progress) =>
      readBundle(path, live, progress),
    );
    return { bytes, sha256, release: releaseIn(headers, ref), origin: originIn(headers) };
  };
}
