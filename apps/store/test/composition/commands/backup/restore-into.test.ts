import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEEP, needsS3, startS3Server } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { commandAt, gauge, largeBundle, tempFolder, verifiedVersions } from '../../../support/backup.ts';
import { emptyDatabase, freshDatabase } from '../../../support/database.ts';
import { bodyOf, openTestStore } from '../../../support/test-store.ts';

const command = (words: string[], environment: Record<string, string>) => commandAt(words, environment);

/** A store with two published versions and a yanked one, which goes on. */
async function filled(environment: Record<string, string>, folder?: string) {
  const store = await openTestStore({ environment, ...(folder !== undefined && { folder }) });
  const token = await store.publisherToken('example', true);
  for (const version of ['1.0.0', '1.1.0', '1.2.0']) {
    expect((await store.upload(token, largeBundle(version, 20))).status).toBe(201);
    if (version === '1.0.0') await store.decide('approve', version);
  }
  const yank = '/api/apps/com.example.notes/versions/1.2.0/yank';
  await store.call('POST', yank, { token, json: { reason: 'It loses notes.' } });
  return { store, token };
}

describe('a store on PostgreSQL', () => {
  it('is backed up while it runs, and restored into another database, from where it goes on', async () => {
    const url = await freshDatabase();
    const { store, token } = await filled({ DATABASE_URL: url });
    const backup = join(await tempFolder(), 'backup');
    const here = { SVC_DATA_DIR: store.folder, DATABASE_URL: url };
    expect(await command(['backup', backup, '--with-keys'], here)).toContain('contains the store at');
    await store.upload(token, largeBundle('1.3.0', 20));
    expect(await command(['backup', 'verify', backup], here)).toContain('3 signed versions that verify');
    const there = { SVC_DATA_DIR: await tempFolder(), DATABASE_URL: await emptyDatabase() };
    expect(await command(['restore', backup], there)).toMatch(
      /^Restored the store at .* It cannot know what was yanked after/,
    );
    const restored = await openTestStore({
      folder: there.SVC_DATA_DIR,
      environment: { DATABASE_URL: there.DATABASE_URL },
    });
    expect(restored.keyId).toBe(store.keyId);
    expect(await verifiedVersions(restored)).toEqual(['1.0.0', '1.1.0']);
    expect((await bodyOf(restored.call('GET', '/api/apps/revocations'))).entries).toHaveLength(1);
    expect((await restored.upload(token, largeBundle('1.4.0', 20))).status).toBe(201);
    // Not over another store, and not over the running one.
    await expect(command(['restore', backup], here)).rejects.toThrow(/the store is running/);
    await restored.close();
    await expect(command(['restore', backup], there)).rejects.toThrow(/contains other rows/);
  });

  it('is backed up in one snapshot while developers publish', async () => {
    const url = await freshDatabase();
    const { store, token } = await filled({ DATABASE_URL: url });
    const here = { SVC_DATA_DIR: store.folder, DATABASE_URL: url };
    let [stopped, published] = [false, 0];
    const publishing = (async () => {
      for (let n = 3; !stopped; n += 1) {
        const { status } = await store.upload(token, largeBundle(`1.${n}.0`, 20));
        if (status === 201) published += 1;
      }
    })();
    const backup = join(await tempFolder(), 'backup');
    for (let round = 0; round < 3; round += 1) {
      await command(['backup', backup], here);
      expect(await command(['backup', 'verify', backup], here)).toContain('can be restored');
    }
    stopped = true;
    await publishing;
    expect(published).toBeGreaterThan(0);
  });

  it('is backed up and restored with its bucket', { ...DEEP, ...needsS3() }, async () => {
    const server = await startS3Server();
    onTestFinished(() => server.stop());
    const s3 = { AWS_ACCESS_KEY_ID: server.accessKeyId, AWS_SECRET_ACCESS_KEY: server.secretAccessKey };
    const bucket = (name: string) => ({ ...s3, SVC_BLOBS: `s3://${name}?endpoint=${server.endpoint}` });
    const url = await freshDatabase();
    const first = { DATABASE_URL: url, ...bucket(server.bucket) };
    const { store } = await filled(first);
    const here = { SVC_DATA_DIR: store.folder, ...first };
    const backup = join(await tempFolder(), 'backup');
    expect(await command(['backup', backup, '--with-keys'], here)).toMatch(/\([1-9]\d* bytes of them new\)/);
    expect(await command(['backup', backup, '--with-keys'], here)).toContain('(0 bytes of them new)');
    // A copy that is damaged is fetched again, and one that the bucket lost is put back.
    const names = (await readdir(join(backup, 'blobs'), { recursive: true })).filter((name) =>
      /[0-9a-f]{64}$/.test(name),
    );
    await writeFile(join(backup, 'blobs', names[0] ?? ''), 'damaged');
    await rm(join(backup, 'blobs', names[1] ?? ''));
    expect(await command(['backup', backup, '--with-keys'], here)).toMatch(/\([1-9]\d* bytes of them new\)/);
    expect(await command(['backup', 'verify', backup], here)).toContain('3 signed versions that verify');
    expect(await gauge(store, 'svc_backup_failed')).toBe('0');
    const second = { DATABASE_URL: await emptyDatabase(), ...bucket('restored-here') };
    const there = { SVC_DATA_DIR: await tempFolder(), ...second };
    expect(await command(['restore', backup], there)).toContain('Restored the store at');
    const restored = await openTestStore({ folder: there.SVC_DATA_DIR, environment: second });
    expect(await verifiedVersions(restored)).toEqual(['1.0.0', '1.1.0']);
  });
});
