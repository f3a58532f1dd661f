import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { backedUp, commandAt, gauge, tempFolder } from '../../../support/backup.ts';
import { bodyOf, openTestStore } from '../../../support/test-store.ts';

it('restores a backup into a throw-away database, and the metrics of the store tell what became of it', async () => {
  const { store, folder } = await backedUp();
  const settings = { SVC_DATA_DIR: store.folder };
  const verify = (now?: string) => commandAt(['backup', 'verify', folder], settings, now);
  expect(await verify()).toMatch(
    /can be restored: the store at 2026-03-02T\S+, with 2 signed versions that verify and \d+ blobs\.$/,
  );
  const again = await openTestStore({ folder: store.folder });
  expect(await gauge(again, 'svc_backup_failed')).toBe('0');
  expect(Number(await gauge(again, 'svc_backup_age_seconds'))).not.toBeNaN();
  const names = await readdir(join(folder, 'blobs'), { recursive: true });
  const blob = names.find((name) => /[0-9a-f]{64}$/.test(name)) as string;
  await writeFile(join(folder, 'blobs', blob), 'damaged');
  await expect(verify('2026-03-04T00:00:00.000Z')).rejects.toThrow(/cannot be used: \S+ is damaged\./);
  expect(await gauge(again, 'svc_backup_failed')).toBe('1');
  expect((await bodyOf(again.admin('GET', '/api/admin/health'))).backup).toMatchObject({
    ...{ takenAt: '2026-03-02T00:00:00.000Z', checkedAt: '2026-03-04T00:00:00.000Z' },
    fault: expect.stringContaining('is damaged'),
  });
});

it('is told to no store on a machine without one', async () => {
  const { folder } = await backedUp();
  const line = await commandAt(['backup', 'verify', folder], {
    SVC_DATA_DIR: join(await tempFolder(), 'none'),
  });
  expect(line).toContain('No store is here to show it in its metrics.');
});
