import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, createPublicKey, verify } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Manifest } from '@svc/contracts';
import { footprintOf } from '@svc/permissions';
import { DEEP, hasProgram, interopFolder, readInterop, sampleManifest } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import {
  canonicalJson,
  factsOf,
  generateSigningKeyPem,
  keyRing,
  readSigningKey,
  signFacts,
  signRevocations,
  verifyBundle,
  verifyHashedBundle,
} from '../src/index.ts';
import type { FactVector } from './support/fact-vectors.ts';
import { APPS } from './support/vector-apps.ts';

const key = readSigningKey(generateSigningKeyPem());
const stranger = readSigningKey(generateSigningKeyPem());
const ring = keyRing([key]);
const bytes = new TextEncoder().encode('the bytes of a bundle');
const manifest = sampleManifest();

const signed = (signer = key) => {
  const release = {
    appId: manifest.id,
    version: manifest.version,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    publishedAt: '2026-01-02T03:04:05.678Z',
  };
  return { ...release, ...signFacts(factsOf(release, footprintOf(manifest)), signer) };
};

const refusalOf = (verification: ReturnType<typeof verifyBundle>) =>
  verification.ok ? null : verification.refusal;

describe('verifyBundle', () => {
  it('accepts a bundle that the store signed', () => {
    const verification = verifyBundle(bytes, manifest, signed(), ring);
    expect(verification).toMatchObject({
      ok: true,
      facts: { domains: ['api.example.com', 'mcp.example.com'], grants: ['files:receive'], accounts: [] },
    });
  });

  it('refuses a bundle with any bit flipped', () => {
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const flipped = Uint8Array.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(refusalOf(verifyBundle(flipped, manifest, signed(), ring))).toBe('hash-mismatch');
    }
  });

  it('refuses a signature with any bit flipped', () => {
    const release = signed();
    for (let bit = 0; bit < 64 * 8; bit += 1) {
      const raw = Buffer.from(release.signature, 'base64');
      raw[bit >> 3] = (raw[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const forged = { ...release, signature: raw.toString('base64') };
      expect(refusalOf(verifyBundle(bytes, manifest, forged, ring))).toBe('bad-signature');
    }
  });

  it.each([
    ['a grant added', { grants: ['files:receive', 'host:media'] as const }],
    ['a domain added', { remote: { ...manifest.remote, domains: ['api.example.com', 'evil.example'] } }],
    ['another MCP host', { remote: { ...manifest.remote, mcpUrl: 'https://evil.example/mcp' } }],
    ['an account added', { accounts: [{ id: 'mail', label: 'Mail', auth: 'mcp' as const, scopes: [] }] }],
  ])('refuses a manifest with %s', (_name, change) => {
    const other = sampleManifest({ ...change } as Parameters<typeof sampleManifest>[0]);
    expect(refusalOf(verifyBundle(bytes, other, signed(), ring))).toBe('bad-signature');
  });

  it('refuses an app, version or time other than the signed one', () => {
    expect(refusalOf(verifyBundle(bytes, sampleManifest({ id: 'com.example.other' }), signed(), ring))).toBe(
      'wrong-app',
    );
    expect(refusalOf(verifyBundle(bytes, sampleManifest({ version: '0.9.0' }), signed(), ring))).toBe(
      'wrong-version',
    );
    const later = { ...signed(), publishedAt: '2026-01-02T03:04:05.679Z' };
    expect(refusalOf(verifyBundle(bytes, manifest, later, ring))).toBe('bad-signature');
    const vague = { ...signed(), publishedAt: 'yesterday' };
    expect(refusalOf(verifyBundle(bytes, manifest, vague, ring))).toBe('malformed');
  });

  it('refuses a key that is not pinned, also with the id of a pinned key', () => {
    expect(refusalOf(verifyBundle(bytes, manifest, signed(stranger), ring))).toBe('unknown-key');
    const disguised = { ...signed(stranger), keyId: key.keyId };
    expect(refusalOf(verifyBundle(bytes, manifest, disguised, ring))).toBe('bad-signature');
  });

  it('refuses a valid signature in another encoding', () => {
    const release = signed();
    for (const signature of [
      `${release.signature}\n`,
      ` ${release.signature}`,
      release.signature.replace('==', ''),
    ]) {
      expect(refusalOf(verifyBundle(bytes, manifest, { ...release, signature }, ring))).toBe('bad-signature');
    }
  });

  it('refuses the signature of a revocation list', () => {
    const list = signRevocations([], '2026-01-02T03:04:05.678Z', key);
    expect(refusalOf(verifyBundle(bytes, manifest, { ...signed(), signature: list.signature }, ring))).toBe(
      'bad-signature',
    );
  });

  it('accepts a signature that openssl also verifies', ({ skip }) => {
    skip(!hasProgram('openssl'), 'openssl is not on this machine');
    const folder = mkdtempSync(join(tmpdir(), 'svc-openssl-'));
    try {
      const release = signed();
      const at = (name: string, content: Uint8Array | string) => {
        writeFileSync(join(folder, name), content);
        return join(folder, name);
      };
      const facts = at('facts', canonicalJson(factsOf(release, footprintOf(manifest))));
      const openssl = (signature: Uint8Array) =>
        execFileSync('openssl', [
          ...['pkeyutl', '-verify', '-rawin', '-pubin', '-inkey', at('key.pem', key.publicKeyPem)],
          ...['-in', facts, '-sigfile', at('signature', signature)],
        ]).toString();
      expect(openssl(Buffer.from(release.signature, 'base64'))).toContain('Verified Successfully');
      const forged = Buffer.from(release.signature, 'base64');
      forged[0] = (forged[0] ?? 0) ^ 1;
      expect(() => openssl(forged)).toThrow();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('verifyHashedBundle', () => {
  it('returns the same result for a hash as verifyBundle for the bytes', () => {
    const release = signed();
    expect(verifyHashedBundle(release.sha256, manifest, release, ring)).toEqual(
      verifyBundle(bytes, manifest, release, ring),
    );
    expect(refusalOf(verifyHashedBundle('0'.repeat(64), manifest, release, ring))).toBe('hash-mismatch');
  });
});

describe('the interop vectors', () => {
  const vectors = readInterop('signing') as FactVector[];
  const insideOf = new Map<string, Manifest>(Object.values(APPS).map((app) => [app.file, app.manifest]));

  it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', (_name, vector) => {
    const { pinned, asked, headers, bundle, signed } = vector;
    const zip = readFileSync(new URL(bundle, interopFolder('signing')));
    const inside = insideOf.get(bundle) as Manifest;
    const given = {
      ...asked,
      sha256: headers['X-Svc-Sha256'],
      signature: headers['X-Svc-Signature'],
      keyId: headers['X-Svc-Key-Id'],
      publishedAt: headers['X-Svc-Published-At'],
    };
    const ring = keyRing(pinned.map((publicKeyPem) => ({ publicKeyPem })));
    const verification = verifyBundle(zip, inside, given, ring);
    expect(verification.ok ? 'accept' : verification.refusal).toBe(vector.refusal ?? 'accept');
    if (verification.ok) {
      expect(new TextDecoder().decode(canonicalJson(verification.facts))).toBe(signed?.text);
    }
    // Each refusal has its own reason: the signature itself is valid for the signed text.
    if (signed) {
      const key = createPublicKey(signed.publicKeyPem);
      const raw = Buffer.from(given.signature, 'base64');
      expect(verify(null, Buffer.from(signed.text), key, raw)).toBe(true);
    }
  });

  it('of all folders have the same results in a verifier in Python', DEEP, ({ skip }) => {
    skip(
      spawnSync('python3', ['-c', 'import cryptography']).status !== 0,
      'python3 has no cryptography here',
    );
    const second = fileURLToPath(new URL('support/second_verifier.py', import.meta.url));
    const interop = fileURLToPath(new URL('../', interopFolder('signing')));
    const report: unknown = JSON.parse(execFileSync('python3', [second, interop], { encoding: 'utf8' }));
    const expectedFor = (folder: string, file = 'vectors.json') => {
      const all = readInterop(folder, file) as unknown[];
      return [`${folder}/${file}`, { vectors: all.length, otherwise: [] }] as const;
    };
    const folders = ['signing', 'keys', 'revocations', 'permissions'].map((folder) => expectedFor(folder));
    const others = [expectedFor('revocations', 'heads.json'), expectedFor('relay', 'challenges.json')];
    expect(report).toEqual(Object.fromEntries([...folders, ...others]));
  });
});
