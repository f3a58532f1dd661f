import type { OriginStatement } from '@svc/contracts';
import { footprintOf } from '@svc/permissions';
import { sampleManifest } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import {
  factsOf,
  generateSigningKeyPem,
  keyRing,
  originHeader,
  originIn,
  readSigningKey,
  signFacts,
  signOrigin,
  verifyAtOrigin,
  verifyOrigin,
} from '../src/index.ts';

const [there, here] = [0, 1].map(() => readSigningKey(generateSigningKeyPem())) as [
  ReturnType<typeof readSigningKey>,
  ReturnType<typeof readSigningKey>,
];
const SHA = 'ab'.repeat(32);
const AT = '2026-01-01T10:00:00.000Z';
const CARRIER = 'https://corp.example';
const manifest = sampleManifest();
const ref = { appId: manifest.id, version: manifest.version };
const seal = signFacts(factsOf({ ...ref, sha256: SHA, publishedAt: AT }, footprintOf(manifest)), there);
const origin = {
  ...{ store: 'https://apps.example.org', publisher: 'example', publishedAt: AT, ...seal },
  publicKeyPem: there.publicKeyPem,
};
const STATED = { ...ref, sha256: SHA, origin, carriedAt: '2026-01-02T00:00:00.000Z', carriedBy: 'Corp' };
const statement = signOrigin(STATED, here);

describe('the statement of an origin', () => {
  it('verifies after JSON and after the header, with the key of the store that carries it alone', () => {
    const headers = new Headers({ 'X-Svc-Origin': originHeader(statement) });
    expect(originIn(headers)).toEqual(statement);
    expect(verifyOrigin(originIn(headers), keyRing([here]))).toBe(true);
    expect(verifyOrigin(statement, keyRing([there]))).toBe(false);
  });

  it.each<[string, (one: OriginStatement) => unknown]>([
    ['another app', (one) => ({ ...one, appId: 'com.example.other' })],
    ['another version', (one) => ({ ...one, version: '9.0.0' })],
    ['other bytes', (one) => ({ ...one, sha256: 'cd'.repeat(32) })],
    ['another name', (one) => ({ ...one, carriedBy: 'Other' })],
    ['another store', (one) => ({ ...one, origin: { ...one.origin, store: 'https://evil.example' } })],
    ['another key there', (one) => ({ ...one, origin: { ...one.origin, publicKeyPem: here.publicKeyPem } })],
    ['a field more', (one) => ({ ...one, verified: true })],
    ['a field more inside', (one) => ({ ...one, origin: { ...one.origin, verified: true } })],
    ['no signature', ({ signature: _none, ...one }) => one],
    ['nothing', () => null],
  ])('does not verify with %s', (_what, change) => {
    expect(verifyOrigin(change(statement), keyRing([here]))).toBe(false);
  });

  it('is absent without a header, and null in one that is none', () => {
    expect(originIn(new Headers())).toBe(undefined);
    for (const text of ['', '{}', '!!', 'A'.repeat(9 * 1024)])
      expect(originIn(new Headers({ 'X-Svc-Origin': text }))).toBe(null);
  });
});

describe('what the origin signed', () => {
  it('verifies with the key that the statement names', () => {
    expect(verifyAtOrigin(SHA, manifest, statement, CARRIER)).toMatchObject({ ok: true });
  });

  it.each<[string, Partial<typeof origin>, string]>([
    ['another key', { publicKeyPem: here.publicKeyPem }, 'unknown-key'],
    ['no key', { publicKeyPem: 'pem' }, 'malformed'],
    ['another time', { publishedAt: '2026-01-03T00:00:00.000Z' }, 'bad-signature'],
    ['a signature over other facts', { signature: statement.signature }, 'bad-signature'],
    ['an address with a password', { store: 'https://me:pw@apps.example.org' }, 'malformed'],
    ['an address on this machine', { store: 'http://127.0.0.1:80' }, 'malformed'],
    ['an address that is a script', { store: 'javascript:alert(1)' }, 'malformed'],
  ])('does not verify with %s', (_what, change, refusal) => {
    const stated = { ...statement, origin: { ...origin, ...change } };
    expect(verifyAtOrigin(SHA, manifest, stated, CARRIER)).toMatchObject({ ok: false, refusal });
  });

  it('does not verify for other bytes, or as another version', () => {
    expect(verifyAtOrigin('cd'.repeat(32), manifest, statement, CARRIER).ok).toBe(false);
    expect(verifyAtOrigin(SHA, manifest, { ...statement, version: '9.0.0' }, CARRIER)).toMatchObject({
      refusal: 'wrong-version',
    });
  });
});
