import { createHash } from 'node:crypto';
import type { Manifest, OriginStatement } from '@svc/contracts';
import { type KeyRing, verifyAtOrigin, verifyOrigin } from '@svc/signing';
import type { CommandContext } from './command-record.ts';
import { failed, NoAnswerError } from './failure.ts';
import { type Released, StoreClient } from './store-client.ts';

/** A carried version: its origin, and whether the origin itself lists the key that signed it there. */
export type Carried = { statement: OriginStatement; isListedThere: boolean };

/**
 * Whether the origin of a version lists the key that signed it there; false when it cannot be reached, as behind an air gap.
 * @throws CommandError when the origin answers, and not with that key
 */
async function isListed(
  { fetch }: CommandContext,
  { store, keyId, publicKeyPem }: OriginStatement['origin'],
): Promise<boolean> {
  try {
    // Without a token: it is another store.
    const { keys } = await new StoreClient({ baseUrl: store, fetch }).call('GET /api/apps/public-keys');
    if (keys.some((listed) => listed.publicKeyPem === publicKeyPem)) return true;
  } catch (error) {
    if (error instanceof NoAnswerError && error.status === undefined) return false;
    throw failed(`Not verified: ${store} does not say which keys it has.`, { cause: error });
  }
  throw failed(`Not verified: ${store} does not list the key ${keyId}, which signed it there.`);
}

/**
 * The store that a version comes from; null when its store does not say that it carries it. Both signatures are verified: the one of this store
 * with the trusted key, the other one with the key of the origin, which the origin is asked for.
 * @throws CommandError when one of them is not valid, or the origin has another key
 */
export async function carriedFrom(
  context: CommandContext,
  { baseUrl, key }: { baseUrl: string; key: KeyRing },
  {
    bytes,
    manifest,
    release: { appId, version, sha256, origin: statement },
  }: { bytes: Uint8Array; manifest: Manifest; release: Released },
): Promise<Carried | null> {
  if (statement === undefined) return null;
  const isOfThis = (stated: OriginStatement) =>
    stated.appId === appId && stated.version === version && stated.sha256 === sha256;
  if (!verifyOrigin(statement, key) || !isOfThis(statement))
    throw failed('Not verified: the store did not sign from which other store it carries this version.');
  const hash = createHash('sha256').update(bytes).digest('hex');
  const verdict = verifyAtOrigin(hash, manifest, statement, baseUrl);
  if (!verdict.ok) throw failed(`Not verified: at its origin, ${verdict.message}`);
  return { statement, isListedThere: await isListed(context, statement.origin) };
}

/** What is shown of it. */
export const originLines = (carried: Carried | null): [string, string][] =>
  carried === null
    ? []
    : [
        ['from', carried.statement.origin.store],
        [
          'key there',
          `${carried.statement.origin.keyId} (${carried.isListedThere ? 'listed by that store' : 'that store cannot be reached'})`,
        ],
        ['carried by', carried.statement.carriedBy],
      ];
