import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasProgram, readInterop } from '@svc/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canonicalJson,
  entriesHashOf,
  generateSigningKeyPem,
  keyRing,
  mayReplace,
  readSigningKey,
  signRevocations,
  verifyRevocationList,
} from '../src/index.ts';
import type { RevocationVector } from './support/revocation-vectors.ts';

const key = readSigningKey(generateSigningKeyPem());
const ring = keyRing([key]);
const entry = (appId: string, version: string, at = '2026-01-01T00:00:00.000Z') => ({
  appId,
  version,
  reason: 'bad',
  at,
});
const signedAt = '2026-02-01T00:00:00.000Z';

describe('revocation list', () => {
  it('has sorted entries when signed, and verifies', () => {
    const list = signRevocations(
      [entry('a.a', '2.0.0'), entry('b.b', '1.0.0'), entry('a.a', '1.0.0')],
      signedAt,
      key,
    );
    expect(list.entries.map(({ appId, version }) => `${appId}@${version}`)).toEqual([
      'a.a@1.0.0',
      'a.a@2.0.0',
      'b.b@1.0.0',
    ]);
    expect(verifyRevocationList(list, ring)).toBe(true);
    expect(verifyRevocationList(list, keyRing([readSigningKey(generateSigningKeyPem()), key]))).toBe(true);
  });

  it('is the same for any order of its entries', () => {
    const entries = [
      entry('a.a', '1.0.0', '2026-01-01T00:00:00.000Z'),
      entry('a.a', '1.0.0', '2026-01-02T00:00:00.000Z'),
      entry('a.a', '2.0.0', '2026-01-01T00:00:00.000Z'),
      entry('b.b', '1.0.0', '2026-01-01T00:00:00.000Z'),
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray(entries, { minLength: entries.length }), (shuffled) => {
        expect(signRevocations(shuffled, signedAt, key).entries).toEqual(entries);
      }),
    );
  });

  it('replaces the last accepted one when it is later, the same, or by a successor of its key', () => {
    const last = { signedAt, entriesHash: entriesHashOf({ entries: [] }), keyId: key.keyId };
    expect(last.entriesHash).toBe('4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945');
    const [earlier, later] = ['2026-01-31T23:59:59.999Z', '2026-02-01T00:00:00.001Z'];
    const entriesHash = entriesHashOf({ entries: [entry('a.a', '1.0.0')] });
    for (const [next, expected] of [
      [{}, true],
      [{ signedAt: later }, true],
      [{ signedAt: later, entriesHash }, true],
      [{ entriesHash }, false],
      [{ signedAt: earlier }, false],
      [{ signedAt: earlier, entriesHash }, false],
      [{ signedAt: earlier, entriesHash, keyId: 'ed25519-0123456789abcdef' }, true],
    ] as const) {
      expect([next, mayReplace({ ...last, ...next }, last)]).toEqual([next, expected]);
      expect(mayReplace({ ...last, ...next }, null)).toBe(true);
    }
  });

  it('does not verify with an entry removed, changed, added or moved, or with another time', () => {
    const list = signRevocations([entry('a.a', '1.0.0'), entry('b.b', '1.0.0')], signedAt, key);
    const changes = [
      { entries: list.entries.slice(1) },
      { entries: [...list.entries, entry('c.c', '1.0.0')] },
      { entries: [entry('a.a', '1.0.1'), entry('b.b', '1.0.0')] },
      { entries: [...list.entries].reverse() },
      { signedAt: '2026-02-01T00:00:00.001Z' },
    ];
    for (const change of changes) expect(verifyRevocationList({ ...list, ...change }, ring)).toBe(false);
  });

  it('does not verify with an extra field, by another key, or as another type', () => {
    const list = signRevocations([], signedAt, key);
    expect(verifyRevocationList({ ...list, extra: 1 }, ring)).toBe(false);
    expect(
      verifyRevocationList(signRevocations([], signedAt, readSigningKey(generateSigningKeyPem())), ring),
    ).toBe(false);
    for (const value of [null, undefined, 1, 'x', [], {}, { signature: list.signature }]) {
      expect(verifyRevocationList(value, ring)).toBe(false);
    }
  });

  it('does not verify, and does not throw, with a lone surrogate, which canonical JSON cannot encode', () => {
    const list = signRevocations([entry('a.a', '1.0.0')], signedAt, key);
    for (const half of ['\ud800', 'a\udfff']) {
      for (const name of ['appId', 'version', 'reason']) {
        const entries = [{ ...entry('a.a', '1.0.0'), [name]: half }];
        expect(verifyRevocationList({ ...list, entries }, ring)).toBe(false);
      }
    }
  });

  it('also verifies with openssl', ({ skip }) => {
    skip(!hasProgram('openssl'), 'openssl is not on this machine');
    const folder = mkdtempSync(join(tmpdir(), 'svc-openssl-'));
    try {
      const { entries, signature } = signRevocations([entry('a.a', '1.0.0')], signedAt, key);
      const at = (name: string, content: Uint8Array | string) => {
        writeFileSync(join(folder, name), content);
        return join(folder, name);
      };
      const openssl = (time: string) =>
        execFileSync('openssl', [
          ...['pkeyutl', '-verify', '-rawin', '-pubin', '-inkey', at('key.pem', key.publicKeyPem)],
          ...['-in', at('list', canonicalJson({ entries, signedAt: time }))],
          ...['-sigfile', at('signature', Buffer.from(signature, 'base64'))],
        ]).toString();
      expect(openssl(signedAt)).toContain('Verified Successfully');
      expect(() => openssl('2026-02-01T00:00:00.001Z')).toThrow();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the interop vectors', () => {
  const vectors = readInterop('revocations') as RevocationVector[];

  // The runtime decides about a list that is older than the last one; its tests use the same vectors.
  it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', (_name, { keys, steps }) => {
    const current = keyRing(keys.slice(-1));
    for (const { list, refusal } of steps) {
      expect(verifyRevocationList(list, current)).toBe(refusal !== 'not-verified');
    }
  });
});
