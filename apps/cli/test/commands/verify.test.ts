import { createHash, createPublicKey } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  appendEntries,
  EMPTY_EDGE,
  encodeEntry,
  formatCheckpoint,
  formatNote,
  formatProofFile,
  leafHash,
  noteKey,
  publishedEntry,
  rootOfEdge,
  signNote,
} from '@svc/log';
import { footprintOf } from '@svc/permissions';
import { canonicalJson, factsOf, generateSigningKeyPem, type SigningKey } from '@svc/signing';
import { attest, SIGSTORE } from '@svc/testkit/sigstore';
import { asManifest } from '@svc/validator/as-manifest';
import { describe, expect, it } from 'vitest';
import { appBundle, MANIFEST } from '../support/app-folder.ts';
import { chainOf, headersOf, newKey, PUBLISHED_AT, storeWith, TARGET } from '../support/signed-store.ts';

/** The proof that a log of two entries has the version, signed with a key. */
function logProofOf(headers: Record<string, string>, key: SigningKey): string {
  const [sha256 = '', signature = '', keyId = ''] = ['Sha256', 'Signature', 'Key-Id'].map(
    (name) => headers[`X-Svc-${name}`],
  );
  const release = { appId: MANIFEST.id, version: MANIFEST.version, sha256, publishedAt: PUBLISHED_AT };
  const facts = factsOf(release, footprintOf(asManifest(MANIFEST)));
  const extra = { publisher: 'example', by: [] };
  const entries = [
    Buffer.from('another entry'),
    encodeEntry(publishedEntry(facts, { signature, keyId }, extra)),
  ];
  const root = rootOfEdge(appendEntries(EMPTY_EDGE, entries).edge) ?? expect.fail('an empty log');
  const text = formatCheckpoint({ origin: 'store.example', size: 2, root });
  const signer = noteKey('store.example', createPublicKey(key.publicKeyPem));
  const checkpoint = formatNote({ text, signatures: [signNote(text, signer, key.privateKey)] });
  const hashes = [leafHash(entries[0] ?? expect.fail())];
  const proof = formatProofFile({ extra: canonicalJson(extra), index: 1, hashes, checkpoint });
  return JSON.stringify({ proof, consistency: [] });
}

describe('svc verify', () => {
  it('shows what it verified, and pins the key', async () => {
    const { run, url, key, pins } = await storeWith(appBundle());
    const first = await run('verify', TARGET);
    expect(first.code).toBe(0);
    expect(first.out).toBe(
      [
        `verified  ${MANIFEST.id} 1.0.0`,
        `  store      ${url}`,
        `  key        ${key.keyId} (offered by the store, now pinned)`,
        '  log        none: the store does not prove that it published this version to all',
        `  sha256     ${createHash('sha256').update(appBundle()).digest('hex')}`,
        `  published  ${PUBLISHED_AT}`,
        '  built by   unknown: it has no attestation',
        '  svc will allow:',
        '    Account: list',
        '    Sign-in addresses of the account: list: named by its server',
        '    Scope of the account: read (list)',
        '    Account that the tool uses: tidy_up: list',
        '    Contacts: api.example.com, mcp.example.com',
        '    Server that runs its tools: https://mcp.example.com/mcp',
        '    Tool: tidy_up',
        '',
      ].join('\n'),
    );
    expect(first.err).toContain(key.keyId);
    expect(JSON.parse(await readFile(pins, 'utf8'))).toEqual({
      stores: { [url]: { keyId: key.keyId, publicKeyPem: key.publicKeyPem } },
    });
    expect((await stat(pins)).mode & 0o777).toBe(0o600);
    expect((await stat(path.dirname(pins))).mode & 0o777).toBe(0o700);
    expect(await run('verify', TARGET)).toMatchObject({ code: 0, err: '' });
  });

  it('verifies a local file without downloading the bundle', async () => {
    const { run, cwd, seen } = await storeWith(appBundle());
    await writeFile(path.join(cwd, 'app@1.0.0'), appBundle());
    expect(await run('verify', 'app@1.0.0')).toMatchObject({ code: 0 });
    expect(seen[0]?.url).toBe(`/api/apps/${MANIFEST.id}/versions/1.0.0/bundle`);
  });

  it('shows where the log has it, and verifies that without the store with the proof that it saved', async () => {
    const { run, cwd, said, key, seen, url } = await storeWith(appBundle());
    const next = newKey();
    // The store has a newer key since, which signs the checkpoints.
    said.keys = chainOf(key, next);
    said.current = next;
    said.log = logProofOf(said.headers, next);
    const { code, out } = await run('verify', TARGET, '--save-proof', 'notes.proof');
    expect([code, out]).toEqual([0, expect.stringContaining('log        store.example, entry 1 of 2')]);
    await writeFile(path.join(cwd, 'notes.svc-app'), appBundle());
    await writeFile(path.join(cwd, 'next.pem'), next.publicKeyPem);
    seen.length = 0;
    const offline = ['verify', 'notes.svc-app', '--proof', 'notes.proof'];
    // The version is signed with the first key, and the checkpoint with the second: both are pinned.
    expect(await run('verify', TARGET)).toMatchObject({ code: 0 });
    seen.length = 0;
    const again = await run(...offline);
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('entry 1 of 2')]);
    expect(again.out).toContain('store      not asked');
    expect(JSON.parse((await run(...offline, '--json')).out)).toMatchObject({
      store: null,
      log: { origin: 'store.example', index: 1, size: 2 },
    });
    expect(seen).toEqual([]);
    // Another bundle, another proof, no proof, an unknown key.
    await writeFile(
      path.join(cwd, 'other.svc-app'),
      appBundle({ manifest: { description: 'Another one.' } }),
    );
    expect(await run('verify', 'other.svc-app', '--proof', 'notes.proof')).toMatchObject({
      code: 1,
      out: '',
    });
    const proof = await readFile(path.join(cwd, 'notes.proof'), 'utf8');
    await writeFile(path.join(cwd, 'notes.proof'), proof.replace('index 1', 'index 0'));
    expect(await run(...offline)).toMatchObject({ code: 1, err: expect.stringContaining('does not have') });
    await writeFile(path.join(cwd, 'notes.proof'), 'x');
    expect(await run(...offline)).toMatchObject({ code: 2, err: expect.stringContaining('--save-proof') });
    const stranger = ['--store', url.replace('127.0.0.1', 'localhost')];
    await writeFile(path.join(cwd, 'notes.proof'), proof);
    expect(await run(...offline, ...stranger)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--key'),
    });
    expect(seen).toEqual([]);
  });

  it.each<[string, (log: string, key: SigningKey) => string, string]>([
    ['another key', (log) => log.replace(/(example )[^\\]{20}/, '$1AAAAAAAAAAAAAAAAAAAA'), 'does not have'],
    ['another entry', (log) => log.replace('index 1', 'index 0'), 'does not have'],
    ['no extra data', (log) => log.replace(/extra [^\\]*\\n/, ''), 'malformed'],
    ['nothing', () => JSON.stringify({ proof: '', consistency: [] }), 'malformed'],
  ])('refuses a version whose proof has %s', async (_what, change, message) => {
    const { run, said, key } = await storeWith(appBundle());
    said.log = change(logProofOf(said.headers, key), key);
    expect(await run('verify', TARGET)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining(message),
    });
  });

  it('shows the CI job that built it, by an attestation that it verifies itself', async () => {
    const { run, said, cwd } = await storeWith(appBundle());
    const sha256 = createHash('sha256').update(appBundle()).digest('hex');
    await writeFile(path.join(cwd, 'roots.json'), JSON.stringify(SIGSTORE.root));
    said.attestation = JSON.stringify(attest(sha256));
    const roots = ['--trusted-roots', 'roots.json'];
    const { code, out } = await run('verify', TARGET, ...roots);
    expect([code, out]).toEqual([0, expect.stringContaining('GitHub ann/notes, release.yml')]);
    expect(out).toContain(`commit     ${'c'.repeat(40)}`);
    const json = await run('verify', TARGET, '--json', ...roots);
    expect(JSON.parse(json.out).attestation.claims.repository_id).toBe('4711');
    // A store cannot show what the public Sigstore did not sign, nor the attestation of another bundle.
    expect(await run('verify', TARGET)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('--trusted-roots'),
    });
    said.attestation = JSON.stringify(attest('ab'.repeat(32)));
    expect(await run('verify', TARGET, ...roots)).toMatchObject({
      code: 1,
      err: expect.stringContaining('of another file'),
    });
    expect(await run('verify', TARGET, '--trusted-roots', 'none.json')).toMatchObject({
      code: 1,
      err: expect.stringContaining('none.json cannot be used'),
    });
  });

  it('refuses other bytes, another app, and an invalid app', async () => {
    const { run, said, key } = await storeWith(appBundle());
    said.bytes = appBundle({ files: { 'README.md': 'other' } });
    expect((await run('verify', TARGET)).err).toContain('SHA-256 differs');

    said.bytes = appBundle({ manifest: { id: 'com.example.other' } });
    said.headers = headersOf(said.bytes, key);
    expect((await run('verify', TARGET)).err).toContain('has another app id');

    said.bytes = appBundle({ manifest: { remote: { mcpUrl: 'http://x', domains: [] } } });
    said.headers = headersOf(said.bytes, key);
    const { code, out, err } = await run('verify', TARGET);
    expect(code).toBe(1);
    expect(out).toContain('remote.url');
    expect(err).toContain('not a valid app');
  });

  it.each([
    { what: 'a private key', pem: generateSigningKeyPem() },
    { what: 'no key', pem: 'hello' },
  ])('reports $what as a usage error', async ({ pem }) => {
    const { run, cwd } = await storeWith(appBundle());
    await writeFile(path.join(cwd, 'key.pem'), pem);
    const { code, err } = await run('verify', TARGET, '--key', 'key.pem');
    expect(code).toBe(2);
    expect(err).toContain('not an Ed25519 public key');
  });

  it.each(['nothing', 'a/b@1', '@1.0.0', 'app@', '.'])(
    'reports the target %j as a usage error',
    async (target) => {
      const { run } = await storeWith(appBundle());
      expect(await run('verify', target)).toMatchObject({ code: 2, out: '' });
    },
  );
});
