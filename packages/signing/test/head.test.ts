import { readInterop } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import {
  type AcceptedHead,
  generateSigningKeyPem,
  type KeyRing,
  keyRing,
  listedVersions,
  mayReplaceHead,
  readSigningKey,
  signHead,
  signJson,
  verifyHead,
  verifyRevocationList,
  versionsHashOf,
} from '../src/index.ts';
import type { HeadStep, HeadVector } from './support/head-vectors.ts';

const key = readSigningKey(generateSigningKeyPem());
const ring = keyRing([key]);
const VERSIONS = [
  { version: '1.0.0', sha256: 'a'.repeat(64), state: 'yanked' },
  { version: '1.1.0', sha256: 'b'.repeat(64), state: 'published' },
] as const;
const HEAD = { appId: 'com.example.notes', latest: '1.1.0', versions: VERSIONS };
const AT = '2026-01-01T10:00:00.000Z';

/** Why a client refuses a head; undefined when it accepts it. */
function refusalOf(
  { statement, list }: Pick<HeadStep, 'statement' | 'list'>,
  keys: KeyRing,
  last: AcceptedHead | null,
) {
  if (!verifyHead(statement, keys) || versionsHashOf(list) !== statement.versions) return 'not-verified';
  const [signer = ''] = keys.keys();
  return mayReplaceHead({ ...statement, signer }, last) ? undefined : 'rolled-back';
}

describe('a head statement', () => {
  it('verifies, whatever the order of its versions', () => {
    const statement = signHead(HEAD, AT, key);
    expect(verifyHead(statement, ring)).toBe(true);
    expect(versionsHashOf(VERSIONS.toReversed())).toBe(statement.versions);
  });

  it('does not verify with a changed or unknown field, or by another key', () => {
    const statement = signHead(HEAD, AT, key);
    const other = readSigningKey(generateSigningKeyPem());
    for (const change of [
      { latest: '1.0.0' },
      { appId: 'com.example.other' },
      { versions: 'c'.repeat(64) },
      { signedAt: '2026-01-01T10:00:00.001Z' },
      { extra: 1 },
      { keyId: other.keyId },
    ])
      expect(verifyHead({ ...statement, ...change }, keyRing([key, other]))).toBe(false);
    expect(verifyHead(signHead(HEAD, AT, other), ring)).toBe(false);
    for (const value of [null, undefined, 1, 'x', [], {}]) expect(verifyHead(value, ring)).toBe(false);
  });

  it('cannot be confused with another statement of the same key', () => {
    const { signature, keyId, ...signed } = signHead(HEAD, AT, key);
    expect(verifyRevocationList({ entries: [], signedAt: AT, signature }, ring)).toBe(false);
    const list = { entries: [], signedAt: AT };
    expect(verifyHead({ ...signed, signature: signJson(list, key), keyId }, ring)).toBe(false);
    const facts = { ...signed, publishedAt: AT };
    expect(verifyHead({ ...facts, signature: signJson(facts, key), keyId }, ring)).toBe(false);
  });

  it('replaces an earlier one, and an equal one with the same versions only', () => {
    const { keyId: signer } = key;
    const one = { ...signHead(HEAD, AT, key), signer };
    const later = { ...signHead(HEAD, '2026-01-01T10:10:00.000Z', key), signer };
    expect([mayReplaceHead(later, one), mayReplaceHead(one, later), mayReplaceHead(one, one)]).toEqual([
      true,
      false,
      true,
    ]);
    expect(mayReplaceHead({ ...one, latest: '1.0.0' }, one)).toBe(false);
    expect(mayReplaceHead({ ...one, versions: 'c'.repeat(64) }, one)).toBe(false);
    expect(mayReplaceHead({ ...one, signer: 'ed25519-0000000000000000' }, later)).toBe(true);
  });

  it('lists its published versions, if they are those that it signs and the latest is one of them', () => {
    const head = { ...signHead(HEAD, AT, key), list: [...VERSIONS] };
    expect(listedVersions(head)).toEqual({ ok: true, published: new Map([['1.1.0', 'b'.repeat(64)]]) });
    const refused = {
      ok: false,
      message: 'The versions of this app are not those that the store signed.',
    };
    const { list: _list, ...without } = head;
    const [yanked, published] = VERSIONS;
    const changed = { ...head, list: [yanked, { ...published, sha256: 'c'.repeat(64) }] };
    for (const forged of [without, changed, { ...head, latest: '1.0.0' }, { ...head, latest: '1.2.0' }])
      expect(listedVersions(forged)).toEqual(refused);
  });

  it.each((readInterop('head') as HeadVector[]).map((vector) => [vector.name, vector] as const))(
    'has the verdict of the vector %s',
    (_name, { keys, steps }) => {
      const trusted = keyRing(keys.slice(-1));
      let last: AcceptedHead | null = null;
      for (const { statement, list, verdict, refusal } of steps) {
        const seen = refusalOf({ statement, list }, trusted, last);
        expect([seen === undefined ? 'accept' : 'refuse', seen]).toEqual([verdict, refusal]);
        if (seen === undefined) last = { ...statement, signer: keys.at(-1)?.keyId ?? '' };
      }
    },
  );
});
