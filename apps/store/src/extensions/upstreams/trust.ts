import type { AppHead, HeadStatement, PublicKey, UPSTREAM_FAILURES } from '@svc/contracts';
import type { StoreReader } from '@svc/runtime/store-client';
import {
  type AcceptedList,
  followKeys,
  HEAD_STALE_MS,
  isForeignKeyId,
  type KeyRing,
  keyRing,
  listedVersions,
  mayReplace,
  mayReplaceHead,
  verifyHead,
} from '@svc/signing';
import type { KeptUpstream } from './upstream-store.ts';

type FailureCode = (typeof UPSTREAM_FAILURES)[number];

/** Why an upstream cannot be followed now: nothing new comes of it. */
export class UpstreamError extends Error {
  readonly code: FailureCode;
  constructor(code: FailureCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The published versions of an app, as a head that was accepted has them. */
export type TrustedHead = {
  statement: HeadStatement;
  listed: AppHead['list'];
  published: ReadonlyMap<string, string>;
};

/** Follows the keys of an upstream, and verifies what it signed, as a client of that store does. */
export type Trust = {
  /** The id of the current key, if it signed a revocation list or the head of one. @throws UpstreamError not-verified */
  listSigner(isSigned: (ring: KeyRing) => boolean): Promise<string>;
  /** Requires that a list is no older than the last accepted one, and fresh. @throws UpstreamError rolled-back */
  requireNext(next: AcceptedList): void;
  /** Verifies a head. @throws UpstreamError not-verified; rolled-back for an older or stale one */
  head(appId: string, answer: AppHead, last: HeadStatement | null): Promise<TrustedHead>;
  /** The keys that may have signed a version: all of them, as versions outlive their key. */
  forFacts(keyId: string): Promise<KeyRing>;
};

/** Longest version, in characters: more than that of any manifest. */
const VERSION = 100;

const distrust = (message: string): UpstreamError => new UpstreamError('not-verified', message);

/**
 * Creates the trust in an upstream, from what is stored of it.
 * @param keep stores the keys that follow those that are trusted; false when another process has changed them
 */
export function createTrust(
  upstream: Pick<KeptUpstream, 'keys' | 'list'>,
  reader: Pick<StoreReader, 'keys'>,
  now: () => number,
  keep: (before: readonly PublicKey[], keys: readonly PublicKey[]) => Promise<boolean>,
): Trust {
  let { keys } = upstream;

  /** Asks for successors. @returns whether there are any */
  async function follow(): Promise<boolean> {
    const followed = followKeys(keys, await reader.keys());
    if (!followed.ok) throw distrust(followed.message);
    if (followed.keys.length === keys.length) return false;
    if (!(await keep(keys, followed.keys)))
      throw new UpstreamError('failed', 'Another process has followed the keys: this is tried again.');
    keys = followed.keys;
    return true;
  }

  const newest = (): KeyRing => keyRing(keys.slice(-1));

  /** The id of the newest key, if it signed; asks for a successor once if it did not. */
  async function signerOf(isSigned: (ring: KeyRing) => boolean): Promise<string | null> {
    if (!isSigned(newest()) && !((await follow()) && isSigned(newest()))) return null;
    return keys.at(-1)?.keyId ?? null;
  }

  async function listSigner(isSigned: (ring: KeyRing) => boolean): Promise<string> {
    const keyId = await signerOf(isSigned);
    if (keyId === null) throw distrust('Its revocation list is not signed by its current key.');
    return keyId;
  }

  function requireNext(next: AcceptedList): void {
    if (!mayReplace(next, upstream.list))
      throw new UpstreamError('rolled-back', 'Its revocation list is older than the last accepted one.');
    if (now() - Date.parse(next.signedAt) > HEAD_STALE_MS)
      throw new UpstreamError('rolled-back', 'Its revocation list was signed hours ago.');
  }

  async function head(appId: string, answer: AppHead, last: HeadStatement | null): Promise<TrustedHead> {
    const { list: listed, log: _log, ...statement } = answer;
    const signer = await signerOf((ring) => verifyHead(statement, ring));
    if (signer === null || answer.appId !== appId || statement.latest.length > VERSION)
      throw distrust(`The list of the versions of ${appId} is not signed by its current key.`);
    const versions = listedVersions(answer);
    if (!versions.ok) throw distrust(versions.message);
    if (!mayReplaceHead({ ...statement, signer }, last && { ...last, signer: last.keyId }))
      throw new UpstreamError(
        'rolled-back',
        `The list of the versions of ${appId} is older than the last one.`,
      );
    if (now() - Date.parse(statement.signedAt) > HEAD_STALE_MS)
      throw new UpstreamError('rolled-back', `The list of the versions of ${appId} was signed hours ago.`);
    // The id that it names is not signed.
    return { statement: { ...statement, keyId: signer }, listed, published: versions.published };
  }

  async function forFacts(keyId: string): Promise<KeyRing> {
    if (!isForeignKeyId(keyId) && !keys.some((key) => key.keyId === keyId)) await follow();
    return keyRing(keys);
  }

  return { listSigner, requireNext, head, forFacts };
}
