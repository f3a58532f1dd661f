import { describe, expect, it } from 'vitest';
import { APP, startSigningStore } from '../support/signing-store.ts';
import { openWorld } from '../support/world.ts';

const WIDER = {
  version: '1.1.0',
  remote: { mcpUrl: 'https://mcp.example.com/mcp', domains: ['api.example.com', 'more.example.com'] },
};

/** A store with one app, and a client. */
async function started() {
  const store = await startSigningStore();
  const published = store.publish();
  return { store, published, ...(await openWorld(store)) };
}

describe('a store that lies about versions', () => {
  it('is refused when it offers an older version than is installed (rollback)', async () => {
    const { store, install, installer } = await started();
    store.publish(WIDER);
    await install();
    await expect(installer.prepareInstall(APP, '1.0.0')).rejects.toMatchObject({ code: 'rolled-back' });
  });

  it('is refused when its latest version is older than one it offered before, even for an app that was removed', async () => {
    const { store, install, installer, library } = await started();
    store.publish(WIDER);
    await install();
    library.remove(APP);
    store.state.published.delete(`${APP}@1.1.0`);
    store.state.headAt = (store.state.headAt ?? 0) + 1;
    await expect(installer.prepareInstall(APP)).rejects.toMatchObject({ code: 'rolled-back' });
    // The user may still request exactly that version.
    expect((await install(APP, '1.0.0')).version).toBe('1.0.0');
  });

  it('is refused when another version was installed while the sheet was shown (rollback by waiting)', async () => {
    const { store, install, installer } = await started();
    const old = await installer.prepareInstall(APP, '1.0.0');
    store.publish(WIDER);
    await install();
    const answer = { accepted: true as const, binding: old.binding };
    await expect(installer.install(old, answer)).rejects.toMatchObject({ code: 'rolled-back' });
  });

  it.each(['1.0.0', '1.0.0+rebuilt'])(
    'is refused when it signs other bytes for an installed version, named %s',
    async (version) => {
      const { store, installer, install, library } = await started();
      await install();
      library.remove(APP);
      store.publish({ version }, { 'README.md': '# Other\n' });
      await expect(installer.prepareInstall(APP, version)).rejects.toMatchObject({ code: 'not-verified' });
    },
  );

  it('cannot take over an app of another store, even with valid signatures', async () => {
    const { folder, install } = await started();
    await install();
    const thief = await startSigningStore();
    thief.publish(WIDER);
    const other = await openWorld(thief, { folder });
    await expect(other.installer.prepareInstall(APP)).rejects.toMatchObject({ code: 'id-taken' });
  });
});
