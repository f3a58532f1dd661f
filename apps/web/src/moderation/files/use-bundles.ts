import type { Review } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { useEffect, useState } from 'react';
import type { Listing } from './opened.ts';
import { createReader, type Reader } from './reader.ts';

/** The bundle under review, opened in the browser beside the published one. */
export type Bundles =
  | { kind: 'loading' }
  | { kind: 'failed'; message: string }
  | { kind: 'open'; reader: Reader; listing: Listing; baseError: string | null };

async function download(path: string): Promise<Uint8Array> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`The store answered ${response.status} to ${path}.`);
  return new Uint8Array(await response.arrayBuffer());
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Downloads the base. A failure is reported, and does not stop the review of the new bundle. */
const downloadBase = (path: string | null) =>
  path === null
    ? Promise.resolve({ base: null, baseError: null })
    : download(path).then(
        (base) => ({ base, baseError: null }),
        (error: unknown) => ({ base: null, baseError: messageOf(error) }),
      );

const bundlePath = (appId: string, version: string): string =>
  apiRequest('GET /api/moderation/apps/:appId/versions/:version/bundle', { params: { appId, version } }).path;

/** Opens the bundle under review and the published one, and again after `retry`. */
export function useBundles({ appId, version }: Review, baseVersion: string | null) {
  const [turn, setTurn] = useState(0);
  const [bundles, setBundles] = useState<Bundles>({ kind: 'loading' });
  const nextPath = bundlePath(appId, version);
  const basePath = baseVersion === null ? null : bundlePath(appId, baseVersion);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new turn is a retry
  useEffect(() => {
    const reader = createReader();
    let isOver = false;
    const open = async () => {
      const [next, { base, baseError }] = await Promise.all([download(nextPath), downloadBase(basePath)]);
      const listing = await reader.open(next, base);
      if (!isOver) setBundles({ kind: 'open', reader, listing, baseError });
    };
    setBundles({ kind: 'loading' });
    open().catch((error: unknown) => {
      if (!isOver) setBundles({ kind: 'failed', message: messageOf(error) });
    });
    return () => {
      isOver = true;
      reader.close();
    };
  }, [nextPath, basePath, turn]);
  return { bundles, retry: () => setTurn(turn + 1) };
}

/** Why a moderator must not decide on what was downloaded; null where it is the bundle on record. */
export const bundleFault = ({ sha256 }: Review, bundles: Bundles): string | null =>
  bundles.kind === 'open' && bundles.listing.sha256 !== sha256
    ? 'The downloaded bundle has another hash than the one on record. Do not decide on it.'
    : null;

/** How many files are another than in the published version; null without one. */
export function changedFiles(bundles: Bundles, baseVersion: string | null): number | null {
  if (bundles.kind !== 'open' || baseVersion === null || bundles.baseError !== null) return null;
  return bundles.listing.files.filter(({ state }) => state !== 'same').length;
}
