import { rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { APP, startSigningStore } from '../support/signing-store.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { openWorld } from '../support/world.ts';

/** A consent as the first versions stored it: maps as pairs, and a domain that an update had removed. */
const OLD_CONSENT = {
  grants: ['files:receive'],
  domains: ['api.example.com', 'given-back.example', 'mcp.example.com'],
  accounts: [],
  mcpUrl: 'https://mcp.example.com/mcp',
  requires: [],
  fileParams: [['add_note.attachment', { maxBytes: 1_000, multiple: false }]],
  tools: [['clear', { account: null, confirms: true, wording: '[]' }]],
  endpoints: [],
};

/** A folder with an installed app as an earlier runtime stored it. */
async function earlierFolder() {
  const store = await startSigningStore();
  store.publish();
  const folder = await tempFolder();
  const { install } = await openWorld(store, { folder });
  const { consent } = await install();
  const database = new DatabaseSync(path.join(folder, 'library.sqlite'));
  database.prepare('update apps set consent = ?').run(JSON.stringify(OLD_CONSENT));
  database.exec('drop table file_recipients; drop table heads; drop table stores_without_heads');
  database.exec('drop table connector_settings; drop table pins; alter table apps drop column restored_at');
  database.exec('drop table store_logs; drop table stores_without_logs; drop table revocation_segments');
  database.exec('drop table log_proofs');
  database.exec('pragma user_version = 2');
  database.close();
  return { store, folder, consent };
}

describe('a library of an earlier runtime', () => {
  it('keeps its apps, with the consent for the installed version', async () => {
    const { store, folder, consent } = await earlierFolder();
    const { library, installer } = await openWorld(store, { folder });
    expect(library.get(APP)?.consent).toEqual(consent);
    // Nothing changed for the user, so no consent is needed.
    store.publish({ version: '1.1.0', description: 'Other words.' });
    expect(await installer.prepareInstall(APP)).toMatchObject({ needsConsent: false });
  });

  it('needs consent for the pictures of an app whose bundle is missing', async () => {
    const { store, folder } = await earlierFolder();
    rmSync(path.join(folder, 'bundles'), { recursive: true });
    const { library, installer } = await openWorld(store, { folder });
    expect(library.get(APP)?.consent.face).toMatchObject({ icon: null });
    store.publish({ version: '1.1.0' });
    expect(await installer.prepareInstall(APP)).toMatchObject({
      widened: { widens: false, changes: [{ path: '/branding/icon' }, { path: '/branding/mark' }] },
    });
  });
});
