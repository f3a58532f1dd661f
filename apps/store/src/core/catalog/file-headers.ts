import { createHash } from 'node:crypto';
import { LIMITS, type OriginStatement } from '@svc/contracts';
import { originHeader } from '@svc/signing';
import { pictureHeaders, publicFor } from '../../http/send.ts';
import type { PublicFile, ServedVersion, VersionRef } from '../domain/versions/version-record.ts';
import type { RasterSize } from '../pictures/rasters.ts';
import { tagHeaders } from './cache-tags.ts';

type FileHeaders = Record<string, string> & { ETag: string };

/**
 * The response headers of the zip of a version.
 * @param origin the statement from which store it comes; null when it was published here first
 */
export const bundleHeaders = (record: ServedVersion, origin: OriginStatement | null): FileHeaders => ({
  'Content-Type': 'application/zip',
  'Content-Disposition': `attachment; filename="${record.appId}-${record.version}.svc-app"`,
  // The bytes under this tag never change, but a version can be yanked at any time: caches revalidate before each use, and the
  // store answers without opening the file.
  'Cache-Control': 'public, no-cache',
  ETag: `"${record.sha256}"`,
  'X-Content-Type-Options': 'nosniff',
  'X-Svc-Sha256': record.sha256,
  'X-Svc-Signature': record.signature ?? '',
  'X-Svc-Key-Id': record.keyId ?? '',
  'X-Svc-Published-At': record.publishedAt ?? '',
  ...(origin && { 'X-Svc-Origin': originHeader(origin) }),
  ...tagHeaders(record),
});

/** The response headers of a picture of a version. */
const fileHeaders = ({ type, sha256 }: Pick<PublicFile, 'type' | 'sha256'>): FileHeaders => ({
  ...pictureHeaders(type),
  'Cache-Control': publicFor(LIMITS.files.cacheSeconds),
  ETag: `"${sha256}"`,
});

/** The response headers of a picture as it is in the bundle of a version, which never changes (RFC 8246): only a yank ends it. */
export const versionFileHeaders = (
  file: Pick<PublicFile, 'type' | 'sha256'>,
  ref: VersionRef,
): FileHeaders => {
  const headers = fileHeaders(file);
  return { ...headers, ...tagHeaders(ref), 'Cache-Control': `${headers['Cache-Control']}, immutable` };
};

/** Hashes of rasters: to hash one takes longer than to send it. */
const tags = new WeakMap<Uint8Array, string>();

/** The response headers of a raster (a picture as pages show it). */
export function rasterHeaders(drawn: Uint8Array): FileHeaders {
  const sha256 = tags.get(drawn) ?? createHash('sha256').update(drawn).digest('hex');
  tags.set(drawn, sha256);
  return fileHeaders({ type: rasterType(drawn), sha256 });
}

/** The first byte of a PNG; every other raster is a WebP. A placeholder is a PNG in any size. */
const PNG = 0x89;

export const rasterType = ([first]: Uint8Array): 'image/png' | 'image/webp' =>
  first === PNG ? 'image/png' : 'image/webp';

/** The name of a raster in memory. No hash has this form. */
export const rasterName = ({ sha256 }: Pick<PublicFile, 'sha256'>, size: RasterSize): string =>
  `raster${size} ${sha256}`;
