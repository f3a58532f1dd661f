import { createHash } from 'node:crypto';
import { type AppHead, byCodeUnit, HeadStatement, HeadVersion } from '@svc/contracts';
import { canonicalJson, signJson, verifyJsonSignature } from './json-signature.ts';
import { type KeyRing, keysFor, type SigningKey } from './keys.ts';

const byVersion = (a: HeadVersion, b: HeadVersion): number => byCodeUnit(a.version, b.version);

/** Returns the SHA-256 of the canonical JSON (RFC 8785) of the published and yanked versions of an app, in hex. */
export const versionsHashOf = (versions: readonly HeadVersion[]): string =>
  createHash('sha256')
    .update(canonicalJson(versions.map((version) => HeadVersion.parse(version)).sort(byVersion)))
    .digest('hex');

/** What a head statement says, besides the time. */
export type Head = { appId: string; latest: string; versions: readonly HeadVersion[] };

/**
 * Signs which version of an app is the latest, and which versions it has. The signed fields are those of no other statement, so that a
 * signature of facts, of a revocation list or of a key is none of a head.
 * @param signedAt ISO 8601 in UTC
 */
export function signHead(
  { appId, latest, versions }: Head,
  signedAt: string,
  key: SigningKey,
): HeadStatement {
  const signed = { appId, latest, versions: versionsHashOf(versions), signedAt };
  return { ...signed, signature: signJson(signed, key), keyId: key.keyId };
}

/** Whether a value is a head statement without unknown fields, signed by the pinned key that it names. */
export function verifyHead(statement: unknown, keys: KeyRing): statement is HeadStatement {
  const parsed = HeadStatement.safeParse(statement);
  if (!parsed.success) return false;
  const { signature, keyId, ...signed } = parsed.data;
  return keysFor(keys, keyId).some((key) => verifyJsonSignature(signed, signature, key));
}

/** The age at which a head is stale, in milliseconds: a store signs it within the hour. */
export const HEAD_STALE_MS = 3 * 3_600_000;

/** The published versions of an app with their hashes, from a head with its list. */
export type ListedVersions =
  | { ok: true; published: ReadonlyMap<string, string> }
  | { ok: false; message: string };

/** Reads the versions of a head whose signature was verified: those whose hash was signed, the latest among them. */
export function listedVersions({ list = [], latest, versions }: AppHead): ListedVersions {
  const published = new Map(
    list.filter(({ state }) => state === 'published').map((one) => [one.version, one.sha256]),
  );
  if (versionsHashOf(list) === versions && published.has(latest)) return { ok: true, published };
  return { ok: false, message: 'The versions of this app are not those that the store signed.' };
}

/**
 * What a client stores about the last accepted head of an app. `signer` is the id of the key that verified it: the id that a statement
 * names is not signed.
 */
export type AcceptedHead = Pick<HeadStatement, 'latest' | 'versions' | 'signedAt'> & { signer: string };

/**
 * Whether a verified head may replace the last accepted one. With the same key, its time must be later, or equal with the same versions. A
 * head by another key is always accepted: a client only accepts heads of the newest key, so the other key is a successor.
 */
export function mayReplaceHead(next: AcceptedHead, last: AcceptedHead | null): boolean {
  if (last === null || next.signer !== last.signer || next.signedAt > last.signedAt) return true;
  return next.signedAt === last.signedAt && next.latest === last.latest && next.versions === last.versions;
}
