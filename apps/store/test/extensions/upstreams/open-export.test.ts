import { createHash } from 'node:crypto';
import { copyFile, mkdtemp, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { generateSigningKeyPem, readSigningKey, type SigningKey, signExport, signHead } from '@svc/signing';
import { sampleBundle } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { paddingOf, sumLine, tarHeader } from '../../../src/extensions/upstreams/export-format.ts';
import { openExport } from '../../../src/extensions/upstreams/open-export.ts';
import { bodyOf, type TestStore } from '../../support/test-store.ts';
import { APP, commandsOf, companyStore, keysOf, publicStore, type ServedStore } from './support.ts';

const FOREIGN = readSigningKey(generateSigningKeyPem());
const HOUR = 3_600_000;
const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

type Files = [name: string, bytes: Buffer][];

/** The files of a tar, as any program reads them. */
function unpacked(tar: Buffer): Files {
  const files: Files = [];
  for (let at = 0; tar[at] !== 0; ) {
    const name = tar.toString('latin1', at, at + 100).replace(/\0.*$/, '');
    const size = Number.parseInt(tar.toString('latin1', at + 124, at + 135), 8);
    files.push([name, tar.subarray(at + 512, at + 512 + size)]);
    at += 512 + size + paddingOf(size);
  }
  return files;
}

const packed = (files: Files, at: string): Buffer =>
  Buffer.concat([
    ...files.flatMap(([name, bytes]) => [
      tarHeader(name, bytes.length, at),
      bytes,
      Buffer.alloc(paddingOf(bytes.length)),
    ]),
    Buffer.alloc(1_024),
  ]);

type Signer = { signingKey: SigningKey; keyChain: Parameters<typeof signExport>[2] };

/** Packs and signs files, as a store that makes hostile exports would. */
function signed(files: Files, at: string, { signingKey, keyChain }: Signer): Buffer {
  const list = Buffer.from(files.map(([name, bytes]) => sumLine({ name, sha256: sha256Of(bytes) })).join(''));
  const root = Buffer.from(JSON.stringify(signExport(list, at, keyChain, signingKey)));
  return packed([['export.json', root], ['SHA256SUMS', list], ...files], at);
}

/** Replaces a text of a JSON file. */
const changed = (files: Files, name: RegExp, change: (text: string) => string): Files =>
  files.map(([file, bytes]) => [file, name.test(file) ? Buffer.from(change(bytes.toString('utf8'))) : bytes]);

let origin: ServedStore & { token: string };
let good: Buffer;
let files: Files;
let signer: Signer;
let at: string;
let folder: string;

/** A company's store with the upstream of the exports, which has imported nothing. */
async function insideStore() {
  const company = await companyStore();
  const file = join(folder, 'good.svcx');
  const inside = commandsOf(company);
  const key = signer.signingKey.keyId;
  await inside('add', file, { key, which: 'all', how: 'all' });
  return { company, inside };
}

async function listed(company: TestStore): Promise<number> {
  await company.followChanges();
  return (await bodyOf(company.call('GET', '/api/apps/catalog'))).total;
}

async function written(bytes: Uint8Array): Promise<string> {
  const file = join(folder, 'hostile.svcx');
  await writeFile(file, bytes);
  return file;
}

const flipped = (bytes: Buffer, n: number): Buffer => {
  const copy = Buffer.from(bytes);
  copy[n] = (copy[n] as number) ^ 1;
  return copy;
};

/** The statement in the answer of the head, with changes, signed by a key. */
const resigned = (text: string, change: object, key: SigningKey): string => {
  const app = JSON.parse(text);
  const path = Object.keys(app.answers).find((one) => one.includes('/head')) as string;
  const { list, ...head } = JSON.parse(app.answers[path].body.text);
  const { signedAt } = { ...head, ...change };
  const statement = signHead({ ...head, versions: list }, signedAt, key);
  app.answers[path].body.text = JSON.stringify({ ...statement, list });
  return JSON.stringify(app);
};

/** What arrives damaged, or was made without the key: nothing of it is read further, and nothing changes. */
const DAMAGED: [what: string, make: () => Buffer, message: RegExp][] = [
  ['an empty file', () => Buffer.alloc(0), /damaged/],
  ['a file of one block', () => good.subarray(0, 512), /damaged/],
  ['one that is cut in the list of its files', () => good.subarray(0, 2_000), /damaged|not an export/],
  ['one that is cut in the middle', () => good.subarray(0, good.length >> 1), /ends in the middle/],
  ['one that lacks its last byte', () => good.subarray(0, -1), /ends in the middle/],
  ['one that goes on', () => Buffer.concat([good, Buffer.alloc(512)]), /goes on after its end/],
  ['a second tar behind it', () => Buffer.concat([good, good]), /goes on after its end/],
  ['a packed one', () => gzipSync(good), /damaged/],
  ['a bundle', () => Buffer.from(sampleBundle({ id: APP })), /damaged/],
  ['noise', () => Buffer.alloc(100_000, 'noise '), /damaged/],
  ['files in another order', () => packed([...unpacked(good)].reverse(), at), /not an export/],
  ['one without its bundle', () => packed(unpacked(good).slice(0, -1), at), /damaged/],
  ['one of another time', () => packed(unpacked(good), '2026-01-01T00:00:00.000Z'), /not an export as/],
  ['one that is signed by a foreign key', () => signed(files, at, foreign()), /not signed by the store/],
  [
    'one that is signed by a foreign key under the name of ours',
    () => signed(files, at, { ...signer, signingKey: FOREIGN }),
    /not signed by/,
  ],
  [
    'the signature of another one',
    () => {
      const [root, list] = unpacked(signed(files.slice(0, 2), at, signer)) as [Files[0], Files[0]];
      return packed([root, [list[0], (unpacked(good) as [Files[0], Files[0]])[1][1]], ...files], at);
    },
    /not signed by/,
  ],
];

const foreign = (): Signer => ({
  signingKey: FOREIGN,
  keyChain: [{ keyId: FOREIGN.keyId, publicKeyPem: FOREIGN.publicKeyPem, createdAt: at }],
});

const BIG = 40 * 1024 * 1024;

/** A file whose header says another size than it has. */
function withSize(name: string, size: number): Buffer {
  const all = unpacked(signed(files, at, signer));
  return Buffer.concat(
    all.flatMap(([file, bytes]) => [
      tarHeader(file, file === name ? size : bytes.length, at),
      bytes,
      Buffer.alloc(paddingOf(bytes.length)),
    ]),
  );
}

const last = (): string => files.at(-1)?.[0] as string;

/** A later time than that of the good export, as one of the same time is refused. */
const soon = (n: number): string => new Date(Date.parse(at) + n).toISOString();

/** What a store with the right key may send: no more of it is believed than over the network. */
const HOSTILE: [what: string, make: () => Buffer, message: RegExp][] = [
  [
    'a path that leads out',
    () => signed([...files, ['../../evil', Buffer.from('x')]], at, signer),
    /damaged/,
  ],
  ['an absolute path', () => signed([...files, ['/etc/evil', Buffer.from('x')]], at, signer), /damaged/],
  [
    'a path in an app',
    () => signed([...files, ['apps/../../x.json', Buffer.from('{}')]], at, signer),
    /damaged/,
  ],
  ['a file twice', () => signed([...files, ...files.slice(2)], at, signer), /damaged/],
  ['a bundle of no app', () => signed([...files.slice(0, 2), ...files.slice(3)], at, signer), /damaged/],
  ['another file', () => signed([...files, ['readme.txt', Buffer.from('x')]], at, signer), /damaged/],
  ['no files', () => signed([], at, signer), /ends too early/],
  ['a bundle of 40 MiB', () => withSize(last(), BIG), /more than 26214400 bytes/],
  ['an app of 40 MiB', () => withSize(`apps/${APP}.json`, BIG), /more than 34603008 bytes/],
  ['a list of 40 MiB', () => withSize('SHA256SUMS', BIG), /more than 33554432 bytes/],
  ['a root of 40 MiB', () => withSize('export.json', BIG), /more than 1048576 bytes/],
  [
    'another store',
    () =>
      signed(
        changed(files, /^store/, (text) => text.replace(origin.address, 'https://evil.example')),
        at,
        signer,
      ),
    /https:\/\/evil\.example is no upstream/,
  ],
  [
    'no JSON',
    () =>
      signed(
        changed(files, /^store/, () => '{'),
        at,
        signer,
      ),
    /not in the form/,
  ],
  [
    'JSON of many levels',
    () =>
      signed(
        changed(files, /^apps\//, () => '['.repeat(9_000)),
        at,
        signer,
      ),
    /not in the form/,
  ],
  ['a time in the future', () => signed(files, '2026-03-02T12:00:00.000Z', signer), /in the future/],
  [
    'a forged revocation list',
    () =>
      signed(
        changed(files, /^store/, (text) =>
          text.replace(/\\"signature\\":\\"..../, '\\"signature\\":\\"AAAA'),
        ),
        soon(1),
        signer,
      ),
    /not signed by its current key/,
  ],
  [
    'a head that is signed by another key',
    () =>
      signed(
        changed(files, /^apps\//, (text) => resigned(text, {}, FOREIGN)),
        soon(2),
        signer,
      ),
    /is not signed by its current key/,
  ],
  [
    'a head of hours ago',
    () =>
      signed(
        changed(files, /^apps\//, (text) =>
          resigned(text, { signedAt: '2026-03-01T08:00:00.000Z' }, signer.signingKey),
        ),
        soon(3),
        signer,
      ),
    /signed hours ago/,
  ],
];

describe('an export', () => {
  async function prepare(): Promise<void> {
    origin = await publicStore();
    folder = await mkdtemp(join(tmpdir(), 'svc-hostile-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, 'good.svcx');
    await commandsOf(origin)('export', origin.address, { out: file });
    good = await readFile(file);
    signer = await keysOf(origin);
    at = origin.clock().toISOString();
    files = unpacked(good).slice(2);
  }

  it('is a plain tar, which the usual programs list and check', async () => {
    await prepare();
    expect(unpacked(good).map(([name]) => name)).toEqual([
      ...['export.json', 'SHA256SUMS', 'apps.txt', 'store.json', `apps/${APP}.json`],
      expect.stringMatching(/^bundles\/[0-9a-f]{64}\.zip$/),
    ]);
    const [, [, list]] = unpacked(good) as [Files[0], Files[0]];
    const lines = list.toString().trim().split('\n');
    expect(lines).toEqual(files.map(([name, bytes]) => `${sha256Of(bytes)}  ${name}`));
    expect(signed(files, at, signer).equals(good)).toBe(true);
  });

  it.each(['damaged', 'hostile'] as const)('changes nothing when it is %s', async (kind) => {
    await prepare();
    const { company, inside } = await insideStore();
    const before = await company.stores.audit.lastId();
    for (const [what, make, message] of kind === 'damaged' ? DAMAGED : HOSTILE) {
      const file = await written(make());
      await expect(inside('import', file), what).rejects.toThrow(message);
      expect(await listed(company), what).toBe(0);
    }
    if (kind === 'damaged') expect(await company.stores.audit.lastId()).toBe(before);
    // Lists that are older than the export says it is.
    company.advance(4 * HOUR);
    const stale = await written(signed(files, company.clock().toISOString(), signer));
    await expect(inside('import', stale)).rejects.toThrow(/revocation list was signed hours ago/);
    await company.runJob('Following upstreams');
    expect(await listed(company)).toBe(0);
  });

  it('is refused with any bit of it changed', async () => {
    await prepare();
    const { company, inside } = await insideStore();
    // The keys in the root are verified, and the rest of it means nothing.
    const begin = good.indexOf('SHA256SUMS\0');
    const step = Math.floor((good.length - begin) / 97);
    const taken: number[] = [];
    for (let n = begin; n < good.length; n += step) {
      const said = inside('import', await written(flipped(good, n)));
      await said.then(
        () => taken.push(n - begin),
        ({ message }) => expect(message).toMatch(/damaged|not an export|not signed|not in the form/),
      );
    }
    expect(taken).toEqual([]);
    expect(await listed(company)).toBe(0);
    expect(await inside('import', join(folder, 'good.svcx'))).toContain('1 apps carried');
    expect(await listed(company)).toBe(1);
  });

  it('carries no other bundle than its store signed, and the others', async () => {
    await prepare();
    const { company, inside } = await insideStore();
    const evil = Buffer.from(sampleBundle({ id: APP, name: 'Evil' }));
    const name = `bundles/${sha256Of(evil)}.zip`;
    const own = last().slice('bundles/'.length, -'.zip'.length);
    const all: Files = [
      ...changed(files.slice(0, -1), /^apps\//, (text) =>
        text.replace(`"bundle":"${own}"`, `"bundle":"${sha256Of(evil)}"`),
      ),
      [name, evil],
    ];
    expect(await inside('import', await written(signed(all, at, signer)))).toContain(
      '0 apps carried, 0 waiting, 1 refused',
    );
    expect(await listed(company)).toBe(0);
    const { id } = (await bodyOf(company.admin('GET', '/api/admin/upstreams'))).upstreams[0];
    const { apps } = await bodyOf(company.admin('GET', `/api/admin/upstreams/${id}/apps`));
    expect(apps[0].note).toMatch(/not the one in the signed list/);
  });

  it('goes on after a disk that could not be written, and after a medium that changed while it was read', async () => {
    await prepare();
    const { company, inside } = await insideStore();
    const blobs = join(company.folder, 'blobs');
    await rename(blobs, `${blobs}.away`);
    await writeFile(blobs, '');
    await expect(inside('import', join(folder, 'good.svcx'))).rejects.toThrow(/The import stopped/);
    await rm(blobs);
    await rename(`${blobs}.away`, blobs);
    expect(await listed(company)).toBe(0);
    const file = join(folder, 'copy.svcx');
    await copyFile(join(folder, 'good.svcx'), file);
    const opened = await openExport(file);
    await opened.check();
    await truncate(file, good.length - 2_000);
    const read = async () => {
      for await (const app of opened.apps()) if (app.bundle) await opened.read(app.bundle);
    };
    await expect(read()).rejects.toThrow(/ends in the middle/);
    await opened.close();
    expect(await inside('import', join(folder, 'good.svcx'))).toContain('1 apps carried');
  });
});
