import type { OriginStatement, VersionOrigin } from '@svc/contracts';
import { type SigningKey, signOrigin } from '@svc/signing';
import type { BrandBook } from '../brand/brand.ts';
import type { KeptOrigin, ServedVersion } from './version-record.ts';

/** What is signed of the origin of a version. */
export const signedOriginOf = ({ said: _said, review: _review, ...origin }: KeptOrigin): VersionOrigin =>
  origin;

export type StateDeps = { signingKey: SigningKey; brandBook: Pick<BrandBook, 'now'> };

/**
 * Signs from which store a published version comes. Nothing is stored: the same version has the same statement as long as the store has its
 * key and its name.
 * @returns null for a version that was published here first
 */
export function stateOrigin(
  { signingKey, brandBook }: StateDeps,
  { appId, version, sha256, origin, publishedAt }: ServedVersion,
): OriginStatement | null {
  if (!origin || publishedAt === null) return null;
  const carriedBy = brandBook.now().name.slice(0, 100);
  const stated = {
    appId,
    version,
    sha256,
    origin: signedOriginOf(origin),
    carriedAt: publishedAt,
    carriedBy,
  };
  return signOrigin(stated, signingKey);
}
