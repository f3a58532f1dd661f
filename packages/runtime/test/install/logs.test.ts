import { generateKeyPairSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { cosign, formatVerifierKey, noteKey, SIGNATURE_TYPES } from '@svc/log';
import { describe, expect, it } from 'vitest';
import { entryOf, logOf, started, updated } from '../support/logged-store.ts';
import { APP, newKey } from '../support/signing-store.ts';
import { openWorld } from '../support/world.ts';

describe('a store with a log', () => {
  it('proves each version that is installed, and that its log continues', async () => {
    const world = await started();
    expect(await updated(world)).toBe('1.0.0');
    world.publish('1.0.1');
    world.log.entries.push(Buffer.from('another entry'));
    world.serveWith((since) => world.log.prove(1, since));
    expect(await updated(world)).toBe('1.0.1');
    expect(world.heard.map(({ type }) => type)).not.toContain('log-missing');
  });

  it.each([
    [
      'that the log does not have',
      ({ log }: Awaited<ReturnType<typeof started>>) => {
        log.entries[0] = Buffer.from('something else');
      },
    ],
    [
      'whose entry has other facts',
      ({ log, store }: Awaited<ReturnType<typeof started>>) => {
        const [one] = store.state.published.values();
        if (one) log.entries[0] = entryOf({ ...one, release: { ...one.release, sha256: 'a'.repeat(64) } });
      },
    ],
  ])('is refused a version %s', async (_what, change) => {
    const world = await started();
    change(world);
    await expect(updated(world)).rejects.toMatchObject({
      code: 'not-verified',
      message: 'The log of the store does not have this version.',
    });
  });

  it('is refused a checkpoint of another key, and a proof that is none', async () => {
    const world = await started();
    const other = logOf(() => otherKey);
    const otherKey = newKey();
    other.entries.push(...world.log.entries);
    world.serveWith((since) => other.prove(0, since));
    await expect(updated(world)).rejects.toMatchObject({ code: 'not-verified' });
    const named = world.log.prove(0, 0);
    world.serveWith(() => ({ ...named, proof: named.proof.replaceAll(/^store\.example$/gm, 'a store') }));
    await expect(updated(world)).rejects.toMatchObject({ code: 'not-verified' });
    world.serveWith(() => ({ proof: 'x', consistency: [] }));
    await expect(updated(world)).rejects.toMatchObject({ message: expect.stringContaining('malformed') });
  });

  it('that no longer has it is refused', async () => {
    const world = await started();
    await updated(world);
    world.serveWith(() => undefined);
    await expect(updated(world)).rejects.toMatchObject({
      code: 'rolled-back',
      message: expect.stringContaining('no longer proves'),
    });
  });

  it('goes on with a key that is newer than that of its list of versions', async () => {
    const world = await started();
    await updated(world);
    const head = world.store.headOf(APP);
    world.store.rotate('2026-02-01T00:00:00.000Z');
    world.store.lie(`/api/apps/${APP}/head`, (response) =>
      world.store.answer(response, 200, { ...head, log: world.honest(1) }),
    );
    expect(await updated(world)).toBe('1.0.0');
  });

  describe('of which another process has seen three entries since it was asked', () => {
    const SEEN = 3;

    /** Updates from a response with the checkpoint of a size, which another process overtakes. */
    async function overtaken(size: number, isFork: boolean) {
      const world = await started();
      const other = await openWorld(world.store, { folder: world.folder });
      const fork = logOf(() => world.store.state.key);
      fork.entries.push(Buffer.from('not what was published'), ...world.log.entries);
      for (let n = 1; n < 4; n += 1)
        for (const { entries } of [world.log, fork]) entries.push(Buffer.from(`entry ${n}`));
      const [begun, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      let isFirst = true;
      world.store.lie(`/api/apps/${APP}/head`, async (response) => {
        const isHeld = isFirst;
        isFirst = false;
        const head = world.store.headOf(APP);
        if (isHeld) {
          begun.resolve();
          await goesOn.promise;
        }
        const late = isFork ? fork.prove(1, 0, size) : world.log.prove(0, 0, size);
        world.store.answer(response, 200, { ...head, log: isHeld ? late : world.log.prove(0, 0, SEEN) });
      });
      // The history of the late response serves tiles of more entries than the other process saw.
      const tiles = (isFork && size > SEEN ? fork : world.log).tilesAt(Math.max(size, SEEN));
      for (const [path, bytes] of tiles)
        world.store.lie(`/${path}`, (response) => response.writeHead(200).end(bytes));
      const slow = updated(world);
      await begun.promise;
      await other.installer.prepareInstall(APP);
      goesOn.resolve();
      const outcome = await slow.catch((error) => error);
      const kept = world.storage.database.prepare('select size from store_logs').get();
      return { outcome, kept };
    }

    it.each([1, 2, 3, 4])('is accepted with %i, and its kept checkpoint is not set back', async (size) => {
      expect(await overtaken(size, false)).toEqual({
        outcome: '1.0.0',
        kept: { size: Math.max(size, SEEN) },
      });
    });

    it.each([2, 3, 4])('is refused with %i entries of another history', async (size) => {
      const { outcome, kept } = await overtaken(size, true);
      expect(outcome).toMatchObject({
        code: 'rolled-back',
        message: expect.stringContaining('another history'),
      });
      expect(kept).toEqual({ size: SEEN });
    });
  });

  it('keeps the checkpoint that another process saw while the tiles of a later one were read', async () => {
    const world = await started();
    await updated(world);
    const fork = logOf(() => world.store.state.key);
    fork.entries.push(...world.log.entries);
    for (let n = 1; n < 4; n += 1) {
      world.log.entries.push(Buffer.from(`entry ${n}`));
      fork.entries.push(Buffer.from(`another entry ${n}`));
    }
    const other = await openWorld(world.store, { folder: world.folder });
    // Without a proof for this client: it reads tiles, which show that the fork continues the one entry that it knows.
    world.serveWith(() => fork.prove(0, 0));
    let isFirst = true;
    for (const [path, bytes] of fork.tilesAt(4))
      world.store.lie(`/${path}`, async (response) => {
        if (isFirst) {
          isFirst = false;
          world.serveWith((since) => world.log.prove(0, since, 3));
          await other.installer.prepareInstall(APP);
        }
        response.writeHead(200).end(bytes);
      });
    await updated(world);
    expect(isFirst).toBe(false);
    world.serveWith((since) => world.log.prove(0, since));
    expect(await updated(world)).toBe('1.0.0');
    world.serveWith((since) => fork.prove(0, since));
    await expect(updated(world)).rejects.toMatchObject({ code: 'rolled-back' });
  });

  it('is refused a log that is shorter than the one that it grew to, if longer than the first', async () => {
    const world = await started();
    await updated(world);
    for (let size = 2; size <= 3; size += 1) world.log.entries.push(Buffer.from(`entry ${size}`));
    world.serveWith((since) => world.log.prove(0, since));
    await updated(world);
    world.serveWith((since) => world.log.prove(0, since, 2));
    await expect(updated(world)).rejects.toMatchObject({ code: 'rolled-back' });
  });

  it('goes on after its key was rotated', async () => {
    const world = await started();
    await updated(world);
    world.store.rotate('2026-02-01T00:00:00.000Z');
    world.publish('1.0.1');
    expect(await updated(world)).toBe('1.0.1');
  });
});

describe('a mirror of plain files', () => {
  /** Proofs that were computed for no client, and tiles: those of the log, or others. */
  async function mirrored(change: (tiles: Map<string, Uint8Array>) => void = () => {}) {
    const world = await started();
    await updated(world);
    for (let n = 0; n < 300; n += 1) world.log.entries.push(Buffer.from(`entry ${n}`));
    world.publish('1.0.1');
    world.serveWith(() => world.log.prove(world.log.entries.length - 1, 0));
    const tiles = world.log.tilesAt(world.log.entries.length);
    change(tiles);
    for (const [path, bytes] of tiles)
      world.store.lie(`/${path}`, (response) => response.writeHead(200).end(bytes));
    return world;
  }

  it('is believed when its tiles prove that the log continues', async () => {
    const world = await mirrored();
    expect(await updated(world)).toBe('1.0.1');
  });

  const first = 'tile/0/000';
  it.each<[string, (tiles: Map<string, Uint8Array>) => void, string]>([
    ['is missing', (tiles) => tiles.delete(first), 'store-refused'],
    ['is cut', (tiles) => tiles.set(first, (tiles.get(first) ?? expect.fail()).subarray(32)), 'not-verified'],
    [
      'is of another height',
      (tiles) => tiles.set(first, tiles.get('tile/1/000.p/1') ?? expect.fail()),
      'not-verified',
    ],
    ['is damaged', (tiles) => tiles.set(first, Buffer.alloc(8_192)), 'not-verified'],
    ['is too large', (tiles) => tiles.set(first, Buffer.alloc(8_193)), 'too-large'],
  ])('is refused when a tile %s, which is no fork', async (_what, change, code) => {
    const world = await mirrored(change);
    const refusal = await updated(world).catch((error) => error);
    expect(refusal).toMatchObject({ code });
    expect(world.heard.map(({ type }) => type)).not.toContain('log-forked');
  });

  it('of another history is a fork, with evidence', async () => {
    const world = await started();
    await updated(world);
    const fork = logOf(() => world.store.state.key);
    fork.entries.push(Buffer.from('not what was published'), entryOf(world.publish('1.0.1')));
    world.serveWith(() => fork.prove(1, 0));
    for (const [path, bytes] of fork.tilesAt(2))
      world.store.lie(`/${path}`, (response) => response.writeHead(200).end(bytes));
    const refusal = await updated(world).catch((error) => error);
    expect(refusal).toMatchObject({ code: 'rolled-back' });
    expect(await readFile(refusal.detail.evidence, 'utf8')).toContain(fork.checkpoint(2));
  });
});

describe('a fork', () => {
  it('is refused, shown as what it is, and saved as a file with both checkpoints', async () => {
    const world = await started();
    await updated(world);
    const before = world.log.checkpoint(1);
    // The same store, with the same key, tells this client another history.
    const fork = logOf(() => world.store.state.key);
    fork.entries.push(Buffer.from('not what was published'));
    const hidden = world.store.publish({ version: '6.6.6' });
    fork.entries.push(entryOf(hidden));
    world.serveWith((since) => fork.prove(1, since));
    const refusal = await updated(world).catch((error) => error);
    expect(refusal).toMatchObject({
      code: 'rolled-back',
      message: expect.stringContaining('another history'),
    });
    const evidence = await readFile(refusal.detail.evidence, 'utf8');
    expect(evidence).toContain(before);
    expect(evidence).toContain(fork.checkpoint(2));
    expect(world.heard).toContainEqual({
      type: 'log-forked',
      store: world.store.url,
      evidence: refusal.detail.evidence,
    });
    // What was accepted stays: the honest log goes on.
    world.serveWith(world.honest);
    world.publish('7.0.0');
    expect(await updated(world)).toBe('7.0.0');
  });

  it('of a store that was restored from an older backup is told to the store', async () => {
    const world = await started();
    world.publish('1.0.1');
    await updated(world);
    const newest = world.log.checkpoint(2);
    world.serveWith(() => world.log.prove(0, 0, 1));
    const refusal = await world.installer.prepareInstall(APP, '1.0.0').catch((error) => error);
    expect(refusal).toMatchObject({
      code: 'rolled-back',
      message: expect.stringContaining('has 1 entries, and had 2'),
    });
    expect(world.reported).toEqual([newest]);
  });
});

describe('witnesses', () => {
  it('must have cosigned where the client demands them', async () => {
    const world = await started();
    const keys = ['w1', 'w2'].map((name) => {
      const pair = generateKeyPairSync('ed25519');
      const key = noteKey(`${name}.example`, pair.publicKey, SIGNATURE_TYPES.cosignature);
      return {
        vkey: formatVerifierKey(key),
        sign: (text: string) => cosign(text, 1_750_000_000, key, pair.privateKey),
      };
    });
    const installer = world.installerOf({ keys: keys.map(({ vkey }) => vkey), quorum: 2 });
    world.log.cosigners.push(...keys.slice(0, 1).map(({ sign }) => sign));
    await expect(updated({ installer })).rejects.toMatchObject({
      code: 'not-verified',
      message: expect.stringContaining('cosigned by 1 of the witnesses'),
    });
    world.log.cosigners.push(...keys.slice(1).map(({ sign }) => sign));
    // A store that never had a log has no witnesses either.
    const { serveWith } = world;
    serveWith(() => undefined);
    await expect(updated({ installer })).rejects.toMatchObject({ code: 'rolled-back' });
    serveWith(world.honest);
    expect(await updated({ installer })).toBe('1.0.0');
    serveWith(() => undefined);
    await expect(updated({ installer })).rejects.toMatchObject({ code: 'rolled-back' });
  });
});

describe('a store without a log', () => {
  it('is an older one: this is said once, and remembered', async () => {
    const world = await started();
    world.serveWith(() => undefined);
    expect([await updated(world), await updated(world)]).toEqual(['1.0.0', '1.0.0']);
    expect(world.heard.filter(({ type }) => type === 'log-missing')).toEqual([
      { type: 'log-missing', store: world.store.url },
    ]);
  });
});
