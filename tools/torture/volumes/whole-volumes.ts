import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newApp, publishFirst, versionsOf } from '../arena.ts';
import { makeDisk } from '../disk.ts';
import { abortWrites, mountOver, unmount, writeBack } from '../mounts.ts';
import { type Case, dataOf, recovery } from './case.ts';

/** The volume of the data folder is unmounted under a running store, and mounted again. */
export const unmounted: Case = {
  name: 'the data folder unmounted, while it runs',
  needsMount: true,
  async run(arena, witness) {
    await arena.store.stop();
    const folder = dataOf(arena);
    const volume = `${folder}-volume`;
    await rename(folder, volume);
    await mkdir(folder);
    await mountOver(volume, folder);
    try {
      await arena.restart();
      const next = versionsOf(newApp());
      await unmount(folder);
      const ready = await arena.client.get('/readyz');
      const refused = await witness.publish(arena.client, next());
      await mountOver(volume, folder);
      const seen = await recovery(arena, witness);
      const faults = [ready.status, refused].flatMap((status) =>
        status === 503 ? [] : [`answered ${status}`],
      );
      return { ...seen, faults: [...faults, ...seen.faults] };
    } finally {
      await arena.store.stop();
      await unmount(folder).catch(() => {});
      await rm(folder, { recursive: true, force: true });
      await rename(volume, folder);
      await arena.restart();
    }
  },
};

/** An older database is restored: later publishes are lost with it, but later yanks stay in effect. */
export const older: Case = {
  name: 'an older database, at the start',
  async run(arena, witness) {
    const files = ['store.sqlite', 'store.sqlite-wal'];
    const known = await publishFirst(arena.client, newApp());
    await arena.store.stop();
    const folder = dataOf(arena);
    const kept = await Promise.all(files.map((name) => readFile(join(folder, name)).catch(() => null)));
    await arena.restart();
    // Later publishes are lost with the database, which is not a fault; later yanks are already in effect on clients.
    const unknown = await publishFirst(arena.client, newApp());
    const statuses = [await witness.yank(arena.client, known), await witness.yank(arena.client, unknown)];
    const faults = [
      ...statuses.map((status) => `a yank was answered ${status}`).filter((_, n) => statuses[n] !== 200),
    ];
    faults.push(...(await witness.look(arena.client)));
    await arena.store.stop();
    for (const [index, name] of files.entries()) {
      const bytes = kept[index];
      if (bytes) await writeFile(join(folder, name), bytes);
      else await rm(join(folder, name), { force: true });
    }
    await arena.restart();
    if (!/was rolled back/.test(arena.store.said()))
      faults.push('the store does not say that its database was rolled back');
    const { status } = await arena.client.get(`${arena.client.address(known)}/bundle`);
    if (status !== 410) faults.push(`a yanked version of before was answered ${status}`);
    const seen = await recovery(arena, witness);
    return { ...seen, faults: [...faults, ...seen.faults] };
  },
};

/** The disk fails under a running store, and its file system becomes read-only; then it is remounted, and the store restarted. */
export const readOnly: Case = {
  name: 'the volume turned read-only, while it runs',
  needsMount: true,
  async run(arena, witness) {
    await arena.store.stop();
    const folder = dataOf(arena);
    const disk = await makeDisk('ext4');
    try {
      await cp(folder, disk.folder, { recursive: true });
      await writeBack(disk.folder);
      await mountOver(disk.folder, folder);
      await arena.restart();
      const next = versionsOf((await publishFirst(arena.client, newApp())).appId);
      const first = next();
      await witness.publish(arena.client, first);
      await abortWrites(disk.folder);
      const refused = [
        await witness.publish(arena.client, next()),
        await witness.publish(arena.client, next()),
      ];
      const faults = refused.flatMap((status) =>
        status === 503 ? [] : [`a publish was answered ${status}`],
      );
      if (!(await arena.client.bundle(first))) faults.push('what was published is not served');
      await arena.store.kill();
      await unmount(folder);
      await disk.cut();
      await mountOver(disk.folder, folder);
      const seen = await recovery(arena, witness);
      await arena.store.stop();
      await unmount(folder);
      await rm(folder, { recursive: true });
      await cp(disk.folder, folder, { recursive: true });
      return { ...seen, faults: [...faults, ...seen.faults] };
    } finally {
      await arena.store.stop();
      await unmount(folder).catch(() => {});
      await disk.remove();
      await arena.restart();
    }
  },
};
