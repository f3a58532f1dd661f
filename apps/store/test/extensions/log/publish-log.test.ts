import { createPublicKey, randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AppHead, LogEntry } from '@svc/contracts';
import {
  type Checkpoint,
  decodeEntries,
  encodeEntry,
  leafHash,
  noteKey,
  openCheckpoint,
  planConsistency,
  planInclusion,
  planRoot,
  readEntry,
  readProofFile,
  readTiles,
  tileOf,
  tilePath,
  tilesOf,
  verifyConsistency,
  verifyInclusion,
} from '@svc/log';
import { readSigningKey } from '@svc/signing';
import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createUnitOfWork } from '../../../src/adapters/database/stores.ts';
import { openDiskBlobStore } from '../../../src/adapters/disk/disk-blob-store.ts';
import { listen } from '../../../src/composition/serve.ts';
import { appendToLog } from '../../../src/core/domain/trust/trust-log.ts';
import { createLogStore } from '../../../src/extensions/log/log-store.ts';
import { createLogPublisher } from '../../../src/extensions/log/publish-log.ts';
import type { BlobStore } from '../../../src/platform/blob-store.ts';
import { BASE_URL, bodyOf, openTestStore, type TestStore, twinOf } from '../../support/test-store.ts';

const ORIGIN = 'store.test';
const NOTES = '/api/apps/com.example.notes/versions';

const publishLog = (store: TestStore) => store.runJob('Publishing the log');

type Tiles = { bytesAt(path: string): Promise<Uint8Array>; note(): Promise<string> };

/** The log as it is served. */
const served = (store: TestStore): Tiles => ({
  bytesAt: (path) => bytesAt(store, path),
  note: async () => (await store.call('GET', '/checkpoint')).text(),
});

/** The published checkpoint, as a client verifies it. */
async function checkpointOf(store: TestStore, from = served(store)): Promise<Checkpoint & { note: string }> {
  const { publicKeyPem } = await bodyOf(store.call('GET', '/api/apps/public-key'));
  const note = await from.note();
  const opened = openCheckpoint(note, ORIGIN, [noteKey(ORIGIN, createPublicKey(publicKeyPem))]);
  return opened ?? expect.fail(`not a checkpoint of the store: ${note}`);
}

async function bytesAt(store: TestStore, path: string): Promise<Uint8Array> {
  const answer = await store.call('GET', `/${path}`);
  expect([path, answer.status]).toEqual([path, 200]);
  return new Uint8Array(await answer.arrayBuffer());
}

/** Reads the log as an auditor: from its tiles alone, and verifies each entry and the root. */
async function readLog(store: TestStore, from = served(store)) {
  const checkpoint = await checkpointOf(store, from);
  const { size } = checkpoint;
  const plan = planRoot(size);
  const tiles = new Map<string, Uint8Array>();
  for (const tile of tilesOf(plan.nodes, size)) tiles.set(tilePath(tile), await from.bytesAt(tilePath(tile)));
  expect(plan.hashes(readTiles(tiles, size))).toEqual([checkpoint.root]);
  const entries: LogEntry[] = [];
  for (let index = 0; index * 256 < size; index += 1) {
    const bundle = tileOf('entries', index, size) ?? expect.fail('no bundle');
    const decoded = decodeEntries(await from.bytesAt(tilePath(bundle)), bundle.width);
    for (const bytes of decoded ?? expect.fail('a bundle is cut')) {
      const inclusion = planInclusion(entries.length, size);
      for (const tile of tilesOf(inclusion.nodes, size))
        tiles.set(tilePath(tile), await from.bytesAt(tilePath(tile)));
      const proof = inclusion.hashes(readTiles(tiles, size));
      expect(verifyInclusion(leafHash(bytes), entries.length, size, proof, checkpoint.root)).toBe(true);
      entries.push(readEntry(bytes) ?? expect.fail(`no entry: ${Buffer.from(bytes)}`));
    }
  }
  const proofFrom = (old: number) => planConsistency(old, size).hashes(readTiles(tiles, size));
  return { checkpoint, entries, kinds: entries.map(({ kind }) => kind), proofFrom };
}

async function opened(options: Parameters<typeof openTestStore>[0] = {}) {
  const store = await openTestStore(options);
  const token = await store.publisherToken('example', true);
  return { store, token };
}

async function publish(store: TestStore, token: string, version: string): Promise<void> {
  expect((await store.publish(token, { version })).status).toBe(201);
  const status = await bodyOf(store.call('GET', `${NOTES}/${version}/status`));
  if (status.status === 'in_review') await store.decide('approve', version);
}

const stateOf = ({ stores }: TestStore) =>
  stores.db.selectFrom('log_state').selectAll().executeTakeFirstOrThrow();

/** Closes a store, changes its data while no process runs, and opens it again. */
async function edited(
  { folder, close }: TestStore,
  edit: (db: TestStore['stores']['db']) => Promise<unknown>,
): Promise<TestStore> {
  await close();
  const editor = await openTestStore({ folder, environment: { SVC_WITHOUT: 'log' } });
  await edit(editor.stores.db);
  await editor.close();
  return openTestStore({ folder });
}

const yank = (store: TestStore, version: string) =>
  store.admin('POST', `${NOTES}/${version}/yank`, { reason: 'It lost notes.' });

describe('the log', () => {
  it(
    'has one entry for each act that changes what clients trust, and names no user',
    BOTH_DATABASES,
    async () => {
      const { store, token } = await opened();
      const moderator = await store.signedIn('mod', { role: 'moderator' });
      await store.prove(moderator);
      expect((await store.publish(token, { version: '1.0.0' })).status).toBe(201);
      const approve = '/api/moderation/apps/com.example.notes/versions/1.0.0/approve';
      expect((await store.call('POST', approve, { session: moderator, json: {} })).status).toBe(200);
      expect((await yank(store, '1.0.0')).status).toBe(200);
      const undo = NOTES.replace('/api/', '/api/admin/');
      expect((await store.admin('POST', `${undo}/1.0.0/unyank`, { reason: 'It did not.' })).status).toBe(200);
      await store.admin('PATCH', '/api/admin/publishers/example', { verified: false });
      await publishLog(store);
      const { kinds, entries } = await readLog(store);
      expect(kinds).toEqual([
        'key-added',
        'publisher-verified',
        'published',
        'yanked',
        'undone',
        'publisher-unverified',
      ]);
      const published = entries[2] as Extract<LogEntry, { kind: 'published' }>;
      expect(published).toMatchObject({ publisher: 'example', facts: { appId: 'com.example.notes' } });
      expect(published.by).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
      expect(JSON.stringify(entries)).not.toMatch(/mod\b|It lost notes|@/);
    },
  );

  it('gets larger without changing, and proves it', BOTH_DATABASES, async () => {
    const { store, token } = await opened();
    await publish(store, token, '1.0.0');
    await publishLog(store);
    const before = await checkpointOf(store);
    for (const version of ['1.0.1', '1.0.2', '1.0.3']) await publish(store, token, version);
    await publishLog(store);
    const { checkpoint, proofFrom } = await readLog(store);
    expect(checkpoint.size).toBe(before.size + 3);
    expect(verifyConsistency(before, checkpoint, proofFrom(before.size))).toBe(true);
    // Tiles of an earlier checkpoint stay.
    await bytesAt(store, `tile/0/000.p/${before.size}`);
  });

  it('proves a version in a head that is compressed for clients that accept it', async () => {
    const { store, token } = await opened();
    await publish(store, token, '1.0.0');
    await publishLog(store);
    const server = await listen(store, 0, '127.0.0.1');
    onTestFinished(() => server.close());
    const ask = (query: string, encoding: string) =>
      fetch(`http://127.0.0.1:${server.port}/api/apps/com.example.notes/head${query}`, {
        headers: { 'Accept-Encoding': encoding },
      });
    const [plain, gzip] = await Promise.all([ask('?log=0', 'identity'), ask('?log=0', 'gzip')]);
    const encodings = [plain, gzip].map(({ headers }) => headers.get('content-encoding'));
    expect([...encodings, gzip.headers.get('vary')]).toEqual([null, 'gzip', 'Accept-Encoding']);
    expect(gzip.headers.get('etag')).not.toBe(plain.headers.get('etag'));
    const [sent, same] = [(await gzip.json()) as AppHead, (await plain.json()) as AppHead];
    expect(sent.log?.proof).toContain('c2sp.org/tlog-proof@v1');
    expect(sent.log).toEqual(same.log);
    expect((await ask('', 'gzip')).headers.get('content-encoding')).toBeNull();
  });

  it('proves what the detail of an app states, for those who take it elsewhere', async () => {
    const { store, token } = await opened();
    await publish(store, token, '1.0.0');
    await publish(store, token, '1.0.1');
    const path = '/api/apps/com.example.notes';
    const { logProof } = await bodyOf(store.call('GET', `${path}?proof=1`));
    const { checkpoint, entries } = await readLog(store);
    const { index, hashes } = readProofFile(logProof) ?? expect.fail('no proof');
    expect(entries[index]).toMatchObject({ kind: 'published', version: '1.0.1' });
    const leaf = leafHash(encodeEntry(entries[index] ?? expect.fail()));
    expect(verifyInclusion(leaf, index, checkpoint.size, hashes, checkpoint.root)).toBe(true);
    expect((await bodyOf(store.call('GET', path))).logProof).toBeUndefined();
  });

  it('is served with headers that let caches keep tiles, and not the checkpoint', async () => {
    const { store } = await opened();
    await publishLog(store);
    const { size } = await checkpointOf(store);
    const [checkpoint, tile, none] = await Promise.all(
      ['/checkpoint', `/tile/0/000.p/${size}`, '/tile/0/001'].map((path) => store.call('GET', path)),
    );
    expect(checkpoint?.headers.get('cache-control')).toBe('public, max-age=2');
    expect(checkpoint?.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(tile?.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(tile?.headers.get('content-type')).toBe('application/octet-stream');
    expect(none?.status).toBe(404);
    for (const path of ['/tile/0/0', '/tile/0/..%2f..%2fowner', '/tile/x/000', '/tile/0/000.p/256'])
      expect([path, (await store.call('GET', path)).status]).toEqual([path, 404]);
  });
});

describe('a writer that is interrupted', () => {
  it('loses nothing and repeats nothing, wherever it stops', BOTH_DATABASES, async () => {
    // Without the extension, so that no other process publishes.
    const { store, token } = await opened({ environment: { SVC_WITHOUT: 'log' } });
    const blobs = await openDiskBlobStore(store.folder, randomUUID);
    const logs = createLogStore(store.stores.db);
    const unitOfWork = createUnitOfWork(store.stores.db);
    const signingKey = readSigningKey(await readFile(join(store.folder, 'keys', 'signing-key.pem'), 'utf8'));
    const keyChain = (await store.stores.signingKeys.known()) ?? [];
    const publisherOn = (disk: Pick<BlobStore, 'keepTile' | 'keepRecord'>) =>
      createLogPublisher({
        ...{ logs, signingKey, keyChain, baseUrl: BASE_URL, clock: store.clock },
        cosigner: {
          isMissing: () => false,
          countOf: () => ({ cosigned: 0, quorum: 0 }),
          cosigned: async (note) => note,
        },
        log: { info() {}, warn() {}, error() {} },
        blobs: { ...blobs, ...disk },
        unitOfWork: (work) => unitOfWork((stores) => work({ ...stores, logs: createLogStore(stores.db) })),
      });
    const onDisk: Tiles = {
      bytesAt: async (path) => (await blobs.tile(path)) ?? expect.fail(`${path} is missing`),
      note: async () => (await logs.state()).checkpoint,
    };
    await publisherOn(blobs).publish();
    for (let writes = 0; writes < 5; writes += 1) {
      await publish(store, token, `1.0.${writes}`);
      const before = await checkpointOf(store, onDisk);
      let left = writes;
      // A disk that is full, or a process that dies: after some writes there are no more.
      const failing =
        <A extends unknown[]>(write: (...args: A) => Promise<void>) =>
        async (...args: A) => {
          left -= 1;
          if (left < 0) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
          return write(...args);
        };
      const full = { keepTile: failing(blobs.keepTile), keepRecord: failing(blobs.keepRecord) };
      const isWhole = await publisherOn(full)
        .publish()
        .then(
          () => true,
          () => false,
        );
      expect(isWhole).toBe(writes >= 3);
      // What is served has all of its tiles.
      const between = await readLog(store, onDisk);
      expect(verifyConsistency(before, between.checkpoint, between.proofFrom(before.size))).toBe(true);
      await publisherOn(blobs).publish();
      const { entries } = await readLog(store, onDisk);
      const versions = entries.flatMap((entry) => (entry.kind === 'published' ? [entry.version] : []));
      expect(versions).toEqual(Array.from({ length: writes + 1 }, (_, n) => `1.0.${n}`));
    }
  });

  it('has published what it acknowledged before it recorded that', async () => {
    const { store, token } = await opened();
    await publish(store, token, '1.0.0');
    await publishLog(store);
    const state = await stateOf(store);
    await publish(store, token, '1.0.1');
    await publishLog(store);
    const { note } = await checkpointOf(store);
    // It died between the checkpoint beside the bundles and the row.
    const again = await edited(store, (db) => db.updateTable('log_state').set(state).execute());
    await publishLog(again);
    expect((await checkpointOf(again)).note).toBe(note);
  });

  it('leaves its work to another process', BOTH_DATABASES, async () => {
    const { store, token } = await opened();
    const other = await twinOf(store);
    const stores = [store, other];
    const runs: Promise<unknown>[] = [];
    for (let n = 0; n < 8; n += 1) {
      await publish(stores[n % 2] as TestStore, token, `1.0.${n}`);
      runs.push(...stores.map(publishLog));
    }
    await Promise.all(runs);
    await Promise.all(stores.map(publishLog));
    for (const one of stores) {
      const { kinds } = await readLog(one);
      expect(kinds.filter((kind) => kind === 'published')).toHaveLength(8);
    }
    expect(await checkpointOf(store)).toEqual(await checkpointOf(other));
  });

  it('writes tiles that were lost again', async () => {
    const { store, token } = await opened();
    await publish(store, token, '1.0.0');
    await publishLog(store);
    const before = await checkpointOf(store);
    const again = await edited(store, () => loseTiles(store));
    await publishLog(again);
    expect((await readLog(again)).checkpoint.note).toBe(before.note);
    expect(again.lines.join()).toContain('written again');
  });

  it('serves the longer log while it writes lost tiles again, also when only they were lost', async () => {
    const { store, token } = await opened();
    await publish(store, token, '1.0.0');
    await publishLog(store);
    const before = await checkpointOf(store);
    const again = await edited(store, () => rm(join(store.folder, 'log'), { recursive: true }));
    expect((await checkpointOf(again)).note).toBe(before.note);
    await publishLog(again);
    expect((await readLog(again)).checkpoint.note).toBe(before.note);
  });

  it('publishes nothing beside a log of the same length with another history', async () => {
    const { store, token } = await opened();
    await publish(store, token, '1.0.0');
    await publishLog(store);
    const again = await edited(store, async (db) => {
      const { edge_json } = await stateOf({ stores: { db } } as TestStore);
      const rows = JSON.parse(edge_json) as string[][];
      rows[0]?.splice(0, 1, Buffer.alloc(32).toString('base64'));
      await db
        .updateTable('log_state')
        .set({ edge_json: JSON.stringify(rows) })
        .execute();
    });
    await expect(publishLog(again)).rejects.toThrow(/another history/);
  });
});

/** Deletes everything of the log that is beside the bundles. */
async function loseTiles({ folder }: TestStore): Promise<void> {
  await rm(join(folder, 'log'), { recursive: true });
  await rm(join(folder, 'blobs', 'checkpoint'));
}

/** The log as it was in an older copy of the database. */
async function rollBack(
  db: TestStore['stores']['db'],
  state: Awaited<ReturnType<typeof stateOf>>,
  size = state.size,
) {
  await db.deleteFrom('log_entries').where('idx', '>=', size).execute();
  await db.updateTable('log_state').set(state).execute();
}

describe('a database that is older than the log', () => {
  it('goes on with the entries that it lost, and says so', async () => {
    const { store, token } = await opened();
    await publish(store, token, '1.0.0');
    await publishLog(store);
    const state = await stateOf(store);
    await publish(store, token, '1.0.1');
    await publish(store, token, '1.0.2');
    await publishLog(store);
    const newest = await readLog(store);
    const again = await edited(store, async (db) => {
      await rollBack(db, state, state.size + 1);
      // What is decided before it is noticed is not lost either.
      await appendToLog(db, [{ kind: 'publisher-unverified', publisher: 'example' }]);
    });
    await publishLog(again);
    const { checkpoint, kinds, entries, proofFrom } = await readLog(again);
    expect(verifyConsistency(newest.checkpoint, checkpoint, proofFrom(newest.checkpoint.size))).toBe(true);
    expect(kinds.slice(state.size)).toEqual(['published', 'published', 'restored', 'publisher-unverified']);
    expect(entries.at(-2)).toMatchObject({ from: state.size + 1, to: newest.checkpoint.size });
    expect(again.lines.join()).toContain('The database is older than the log');
  });

  it('with another history publishes nothing, and says what to do', async () => {
    const { store, token } = await opened();
    await publish(store, token, '1.0.0');
    await publishLog(store);
    const state = await stateOf(store);
    const again = await edited(store, async (db) => {
      await rollBack(db, { ...state, size: 0, edge_json: '[]' });
      await rm(join(store.folder, 'log', 'tile', 'entries'), { recursive: true });
    });
    await expect(publishLog(again)).rejects.toThrow(/tile\/entries\/000.* is missing/);
    expect((await stateOf(again)).checkpoint).toBe(state.checkpoint);
  });
});

describe('a checkpoint that a client reports', () => {
  const reportOf = (store: TestStore, checkpoint: string) =>
    bodyOf(store.call('GET', `/api/log/compare?checkpoint=${encodeURIComponent(checkpoint)}`));

  it('is compared with the log, and what contradicts it is explained to the operator', async () => {
    const { store, token } = await opened();
    await publishLog(store);
    const first = await checkpointOf(store);
    const older = await stateOf(store);
    await publish(store, token, '1.0.0');
    await publishLog(store);
    const { note, size } = await checkpointOf(store);
    expect(await reportOf(store, first.note)).toMatchObject({ verdict: 'consistent', size });
    expect(await reportOf(store, note)).toMatchObject({ verdict: 'consistent', size });
    // The database and the tiles are those of an older backup.
    const again = await edited(store, async (db) => {
      await rollBack(db, older);
      await loseTiles(store);
    });
    await publishLog(again);
    expect(await reportOf(again, note)).toMatchObject({ verdict: 'ahead', size: first.size });
    expect(again.lines.join()).toContain('replaced by older copies');
    await publish(again, token, '1.0.1');
    await publishLog(again);
    expect(await reportOf(again, note)).toMatchObject({ verdict: 'fork', size });
    expect(again.lines.join()).toContain('two histories were signed');
    expect(await reportOf(again, note.replace(/\n\d+\n/, '\n99\n'))).toMatchObject({
      code: 'invalid_request',
    });
  });
});

describe('a store from before the log', () => {
  it('adds what it published, yanked and verified, once', async () => {
    const { store, token } = await opened();
    for (const version of ['1.0.0', '1.0.1']) await publish(store, token, version);
    await yank(store, '1.0.0');
    await publishLog(store);
    const again = await edited(store, async (db) => {
      const before = { id: 1, size: 0, edge_json: '[]', checkpoint: '', begun_at: null };
      await rollBack(db, before);
      await loseTiles(store);
    });
    await publishLog(again);
    await publishLog(again);
    const { kinds } = await readLog(again);
    expect(kinds.toSorted()).toEqual(
      ['key-added', 'published', 'published', 'yanked', 'publisher-verified'].toSorted(),
    );
  });
});
