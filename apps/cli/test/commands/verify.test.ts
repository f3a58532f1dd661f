import { createHash, createPublicKey } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { StoreKey } from '@svc/contracts';
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
import {
  appendKey,
  canonicalJson,
  factsOf,
  generateSigningKeyPem,
  originHeader,
  readSigningKey,
  type SigningKey,
  type StatedOrigin,
  signFacts,
  signOrigin,
} from '@svc/signing';
import { attest, SIGSTORE } from '@svc/testkit/sigstore';
import { asManifest } from '@svc/validator/as-manifest';
import { describe, expect, it } from 'vitest';
import { appBundle, MANIFEST } from '../support/app-folder.ts';
import { testCli } from '../support/command-context.ts';
import { fakeStore } from '../support/fake-store.ts';

const PUBLISHED_AT = '2026-01-02T03:04:05.678Z';
const TARGET = `${MANIFEST.id}@${MANIFEST.version}`;

const newKey = () => readSigningKey(generateSigningKeyPem());

/** The headers of a correct store for a bundle. */
function headersOf(bytes: Uint8Array, key: SigningKey): Record<string, string> {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const release = { appId: MANIFEST.id, version: MANIFEST.version, sha256, publishedAt: PUBLISHED_AT };
  const { signature, keyId } = signFacts(factsOf(release, footprintOf(asManifest(MANIFEST))), key);
  return {
    'X-Svc-Sha256': sha256,
    'X-Svc-Signature': signature,
    'X-Svc-Key-Id': keyId,
    'X-Svc-Published-At': PUBLISHED_AT,
  };
}

const firstKeys = ({ keyId, publicKeyPem }: SigningKey): StoreKey[] => [
  { keyId, publicKeyPem, createdAt: '2026-01-01T00:00:00.000Z' },
];

/** A chain of keys, each signed by the one before it. */
function chainOf(first: SigningKey, ...others: SigningKey[]): StoreKey[] {
  let [keys, last] = [firstKeys(first), first];
  others.forEach((next, n) => {
    keys = appendKey(keys, last, next, `2026-01-0${n + 2}T00:00:00.000Z`);
    last = next;
  });
  return keys;
}

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

/** A store with one app; a test can change its answers. */
async function storeWith(bytes: Uint8Array, key = newKey()) {
  const said = {
    bytes,
    headers: headersOf(bytes, key),
    keys: firstKeys(key) as object[] | null,
    attestation: null as string | null,
    log: null as string | null,
    current: key,
  };
  const missing = { code: 'not_found', message: 'There is no such app.', requestId: '1' };
  /** JSON, or null for a 404; undefined for the bundle. */
  const answerOf = (path = ''): string | null | undefined => {
    if (path.endsWith('/attestation')) return said.attestation;
    if (path.endsWith('/log-proof')) return said.log;
    if (path === '/api/apps/public-keys') return said.keys && JSON.stringify({ keys: said.keys });
    const { keyId, publicKeyPem } = said.current;
    return path === '/api/apps/public-key' ? JSON.stringify({ keyId, publicKeyPem }) : undefined;
  };
  const { url, seen } = await fakeStore((request, response) => {
    const text = answerOf(request.url);
    if (text === undefined) response.writeHead(200, said.headers).end(said.bytes);
    else response.writeHead(text === null ? 404 : 200).end(text ?? JSON.stringify(missing));
  });
  const cli = await testCli({ SVC_STORE: url });
  const pins = path.join(cli.env.XDG_CONFIG_HOME ?? '', 'svc', 'keys.json');
  return { ...cli, said, key, seen, url, pins };
}

/** A store that carries the app of another one, which lists its keys, and what the first one says of that. */
async function carryingStore() {
  const here = await storeWith(appBundle());
  const there = newKey();
  const answers = { keys: firstKeys(there) as object[] | null, status: 200 };
  const origin = await fakeStore((_request, response) =>
    response.writeHead(answers.status).end(JSON.stringify({ keys: answers.keys })),
  );
  const theirs = headersOf(appBundle(), there);
  const stated: StatedOrigin = {
    ...{ appId: MANIFEST.id, version: MANIFEST.version, sha256: theirs['X-Svc-Sha256'] ?? '' },
    origin: {
      ...{ store: origin.url, publisher: 'example', publishedAt: PUBLISHED_AT, keyId: there.keyId },
      signature: theirs['X-Svc-Signature'] ?? '',
      publicKeyPem: there.publicKeyPem,
    },
    ...{ carriedAt: '2026-02-01T00:00:00.000Z', carriedBy: 'Corp' },
  };
  const say = (change: Partial<StatedOrigin> = {}, key = here.key) => {
    here.said.headers['X-Svc-Origin'] = originHeader(signOrigin({ ...stated, ...change }, key));
  };
  const of = (change: Partial<StatedOrigin['origin']>) => ({ origin: { ...stated.origin, ...change } });
  return { ...here, there, origin, answers, stated, say, of };
}

describe('svc verify on a machine whose operator set the key of the store', () => {
  it('trusts that key at the first use, and no other one that the store or an earlier pin offers', async () => {
    const { url, key, run } = await storeWith(appBundle());
    const onMachine = async (publicKeyPem: string, env = {}) =>
      (await testCli({ SVC_STORE: url, ...env }, { company: { store: url, publicKeyPem } })).run(
        'verify',
        TARGET,
      );
    const right = await onMachine(key.publicKeyPem);
    expect(right).toMatchObject({ code: 0, err: '' });
    expect((await onMachine(newKey().publicKeyPem)).code).toBe(1);
    // The user has pinned the key that the store has, and the operator another one.
    const { cwd } = await testCli();
    const env = { XDG_CONFIG_HOME: cwd };
    expect((await (await testCli({ SVC_STORE: url, ...env })).run('verify', TARGET)).code).toBe(0);
    expect((await onMachine(newKey().publicKeyPem, env)).code).toBe(1);
    expect((await run('verify', TARGET)).err).toContain('first use');
  });
});

describe('svc verify of a carried app', () => {
  it('verifies both signatures, and asks the other store for its keys without a token', async () => {
    const { run, origin, there, say, env } = await carryingStore();
    say();
    Object.assign(env, { SVC_TOKEN: 'secret' });
    const { code, out } = await run('verify', TARGET);
    expect([code, out]).toEqual([0, expect.stringMatching(new RegExp(`^  from +${origin.url}$`, 'm'))]);
    expect(out).toContain(`${there.keyId} (listed by that store)`);
    expect(out).toContain('carried by  Corp');
    expect(origin.seen.map(({ url, authorization }) => [url, authorization])).toEqual([
      ['/api/apps/public-keys', undefined],
    ]);
    const { origin: shown } = JSON.parse((await run('verify', TARGET, '--json')).out);
    expect(shown).toMatchObject({ store: origin.url, isListedThere: true });
  });

  it('verifies one whose origin has a newer key, and says so of one that cannot be reached', async () => {
    const { run, answers, there, say, of } = await carryingStore();
    answers.keys = chainOf(there, newKey());
    say();
    expect((await run('verify', TARGET)).out).toContain('(listed by that store)');
    say(of({ store: 'http://127.0.0.1:1' }));
    const { code, out } = await run('verify', TARGET);
    expect([code, out]).toEqual([0, expect.stringContaining('(that store cannot be reached)')]);
  });

  it('fails when the origin answers, and not with the key', async () => {
    const { run, answers, say, pins } = await carryingStore();
    say();
    for (const [keys, status] of [
      [firstKeys(newKey()), 200],
      [null, 200],
      [null, 404],
      [[], 500],
    ] as const) {
      Object.assign(answers, { keys, status });
      expect(await run('verify', TARGET)).toMatchObject({
        ...{ code: 1, out: '' },
        err: expect.stringMatching(/Not verified: \S+ does not (list the key|say which keys)/),
      });
    }
    await expect(stat(pins)).rejects.toThrow('ENOENT');
  });

  it.each<[string, (world: Awaited<ReturnType<typeof carryingStore>>) => void]>([
    ['of another key', ({ say }) => say({}, newKey())],
    ['of another version', ({ say }) => say({ version: '9.0.0' })],
    ['of other bytes', ({ say }) => say({ sha256: 'ab'.repeat(32) })],
    ['with another key there', ({ say, of }) => say(of({ publicKeyPem: newKey().publicKeyPem }))],
    [
      'with the signature of the store itself',
      ({ say, of, said }) => say(of({ signature: said.headers['X-Svc-Signature'] ?? '' })),
    ],
    ['with a password in the address', ({ say, of }) => say(of({ store: 'http://me:pw@localhost' }))],
    [
      'that cannot be read',
      ({ said }) => {
        said.headers['X-Svc-Origin'] = 'bm9uZQ';
      },
    ],
  ])('fails with a statement %s, and sends no request to the other store', async (_what, lie) => {
    const world = await carryingStore();
    lie(world);
    expect(await world.run('verify', TARGET)).toMatchObject({
      ...{ code: 1, out: '' },
      err: expect.stringContaining('Not verified'),
    });
    expect(world.origin.seen).toEqual([]);
  });

  it('fails with another bundle than the one that both signed', async () => {
    const { run, said, key, say } = await carryingStore();
    say();
    said.bytes = appBundle({ files: { 'README.md': 'other' } });
    expect(await run('verify', TARGET)).toMatchObject({ code: 1, err: expect.stringContaining('SHA-256') });
    // The store signs other bytes as its own, with the statement of the first ones.
    Object.assign(said.headers, headersOf(said.bytes, key));
    expect((await run('verify', TARGET)).err).toContain('did not sign from which other store');
  });
});

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

  it('refuses a key that changed, and pins nothing', async () => {
    const { run, said, pins } = await storeWith(appBundle());
    await run('verify', TARGET);
    const before = await readFile(pins, 'utf8');
    const other = newKey();
    Object.assign(said, { headers: headersOf(said.bytes, other), keys: firstKeys(other) });
    const { code, out, err } = await run('verify', TARGET);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(`signed with the key ${other.keyId}`);
    expect(err).toContain('is not signed by the one you trust');
    expect(err).toContain(pins);
    expect(await readFile(pins, 'utf8')).toBe(before);
  });

  it('accepts a new key that the pinned one has signed, reports it, and pins it', async () => {
    const { run, said, key, url, pins } = await storeWith(appBundle());
    await run('verify', TARGET);
    const [between, current] = [newKey(), newKey()];
    said.keys = chainOf(key, between, current);
    said.headers = headersOf(said.bytes, current);
    const { code, out, err } = await run('verify', TARGET);
    expect(code).toBe(0);
    expect(out).toContain(`${current.keyId} (successor of ${key.keyId}, pinned for this store)`);
    expect(err).toContain(
      `has a new key, ${current.keyId}, signed by ${key.keyId}, which you trust. The new key is now pinned`,
    );
    const earlier = [key, between].map(({ keyId, publicKeyPem }) => ({ keyId, publicKeyPem }));
    expect(JSON.parse(await readFile(pins, 'utf8'))).toEqual({
      stores: { [url]: { keyId: current.keyId, publicKeyPem: current.publicKeyPem, earlier } },
    });
    // Versions signed with older keys still verify, without output and without requesting keys from the store.
    said.keys = null;
    for (const signer of [key, between, current]) {
      said.headers = headersOf(said.bytes, signer);
      expect(await run('verify', TARGET)).toMatchObject({ code: 0, err: '' });
    }
  });

  it('says that an earlier key signed a version, whatever the version names its key', async () => {
    const { run, said, key } = await storeWith(appBundle());
    await run('verify', TARGET);
    const current = newKey();
    said.keys = chainOf(key, current);
    said.headers = headersOf(said.bytes, current);
    await run('verify', TARGET);
    said.headers = { ...headersOf(said.bytes, key), 'X-Svc-Key-Id': 'any-name' };
    expect((await run('verify', TARGET)).out).toContain('any-name (an earlier key of the store');
  });

  it('refuses a chain that forks from a retired key', async () => {
    const { run, said, key, pins } = await storeWith(appBundle());
    const [current, thief] = [newKey(), newKey()];
    said.keys = chainOf(key, current);
    await run('verify', TARGET);
    const before = await readFile(pins, 'utf8');
    said.keys = chainOf(key, thief);
    said.headers = headersOf(said.bytes, thief);
    const { code, err } = await run('verify', TARGET);
    expect(code).toBe(1);
    expect(err).toContain(`the key pinned for this store is ${current.keyId}`);
    expect(await readFile(pins, 'utf8')).toBe(before);
  });

  it('does not pin a new key when a bundle fails', async () => {
    const { run, said, key, pins } = await storeWith(appBundle());
    await run('verify', TARGET);
    const before = await readFile(pins, 'utf8');
    const current = newKey();
    said.keys = chainOf(key, current);
    said.headers = { ...headersOf(said.bytes, newKey()), 'X-Svc-Key-Id': current.keyId };
    expect((await run('verify', TARGET)).err).toContain('The signature is not valid');
    expect(await readFile(pins, 'utf8')).toBe(before);
  });

  it('pins all keys of a chain on first use, so that older versions verify', async () => {
    const { run, said, key } = await storeWith(appBundle());
    const current = newKey();
    said.keys = chainOf(key, newKey(), current);
    const first = await run('verify', TARGET);
    expect(first.code).toBe(0);
    expect(first.out).toContain(
      `${key.keyId} (an earlier key of the store; its current key is ${current.keyId}, offered by the store`,
    );
    expect(await run('verify', TARGET)).toMatchObject({ code: 0, err: '' });
  });

  it('works with a store that publishes only its current key', async () => {
    const { run, said, key } = await storeWith(appBundle());
    said.keys = null;
    const { code, err } = await run('verify', TARGET);
    expect(code).toBe(0);
    expect(err).toContain(`its key ${key.keyId} is now pinned`);
    said.headers = headersOf(said.bytes, newKey());
    expect((await run('verify', TARGET)).err).toContain('is not signed by the one you trust');
  });

  it('refuses another key with the id of the pinned key', async () => {
    const { run, said, key } = await storeWith(appBundle());
    await run('verify', TARGET);
    said.headers = { ...headersOf(said.bytes, newKey()), 'X-Svc-Key-Id': key.keyId };
    expect(await run('verify', TARGET)).toMatchObject({ code: 1, out: '' });
  });

  it('does not trust a key for a bundle that fails', async () => {
    const { run, said, pins } = await storeWith(appBundle());
    said.headers['X-Svc-Published-At'] = '2026-01-02T03:04:05.679Z';
    const { code, err } = await run('verify', TARGET);
    expect(code).toBe(1);
    expect(err).toContain('The signature is not valid');
    await expect(stat(pins)).rejects.toThrow('ENOENT');
  });

  it('refuses an offered key whose id does not match', async () => {
    const { run, said, key } = await storeWith(appBundle());
    const [honest] = firstKeys(key);
    for (const publicKeyPem of [newKey().publicKeyPem, 'no key']) {
      said.keys = [{ ...honest, publicKeyPem }];
      expect((await run('verify', TARGET)).err).toContain('Do not trust them');
    }
    const [, unsigned] = chainOf(newKey(), key);
    said.keys = [...firstKeys(newKey()), { ...unsigned }];
    expect((await run('verify', TARGET)).err).toContain('Do not trust them');
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

  it('fails when the pins are corrupt, instead of pinning again', async () => {
    const { run, pins, url, key } = await storeWith(appBundle());
    await run('verify', TARGET);
    const mismatched = { keyId: newKey().keyId, publicKeyPem: key.publicKeyPem };
    for (const text of ['', '[]', '{"stores":null}', JSON.stringify({ stores: { [url]: mismatched } })]) {
      await writeFile(pins, text);
      const { code, err } = await run('verify', TARGET);
      expect({ code, says: err.includes('corrupt') }).toEqual({ code: 1, says: true });
    }
  });

  it('verifies with --key, and pins nothing', async () => {
    const { run, cwd, key, pins, seen } = await storeWith(appBundle());
    await writeFile(path.join(cwd, 'key.pem'), key.publicKeyPem);
    const { code, out } = await run('verify', TARGET, '--key', 'key.pem');
    expect(code).toBe(0);
    expect(out).toContain('named with --key');
    expect(seen.some(({ url }) => url.startsWith('/api/apps/public-key'))).toBe(false);
    await expect(stat(pins)).rejects.toThrow('ENOENT');
  });

  it('accepts a successor of --key, and pins nothing', async () => {
    const { run, cwd, said, key, pins } = await storeWith(appBundle());
    await writeFile(path.join(cwd, 'key.pem'), key.publicKeyPem);
    const current = newKey();
    said.keys = chainOf(key, current);
    said.headers = headersOf(said.bytes, current);
    const { code, err } = await run('verify', TARGET, '--key', 'key.pem');
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringContaining(
        `has a new key, ${current.keyId}, signed by ${key.keyId}, which you trust.\n`,
      ),
    });
    await expect(stat(pins)).rejects.toThrow('ENOENT');
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
