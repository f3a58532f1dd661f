import { createServerLister } from '../adapters/servers/list-tools.ts';
import type { BundleInspector } from '../features/publishing/inspection-queues.ts';
import { resumeVersions } from '../features/publishing/resume.ts';
import { restoreRevocations } from '../features/revocations/kept-list.ts';
import { versionOf } from '../platform/own-package.ts';
import { startJobs } from './jobs.ts';
import { openParts, type StoreBounds, type StoreSystem } from './open-parts.ts';
import type { Settings } from './settings.ts';
import { createStore } from './store.ts';

/**
 * Opens a store on its data folder: creates what is missing, and finishes what an earlier process left unfinished.
 * @throws SettingError when the folder, the key in it or the database cannot be used
 */
export async function openStore(
  settings: Settings,
  system: StoreSystem,
  inspector: BundleInspector,
  bounds: StoreBounds = {},
) {
  const { parts, removeUnusedDrawings, close } = await openParts(settings, system, inspector, bounds);
  const { stores, readiness, signingKey } = parts;
  const deps = { ...parts, ...stores };
  await resumeVersions(deps);
  await restoreRevocations(deps);
  const store = createStore(parts);
  await store.renewRevocations();
  const { stop, ...jobs } = await startJobs(parts, store, {
    removeUnusedDrawings,
    serverLister: system.serverLister ?? createServerLister({ ...settings, version: versionOf() }),
  });
  return {
    ...store,
    ...jobs,
    stores,
    keyId: signingKey.keyId,
    readiness,
    async close() {
      await stop();
      await close();
    },
  };
}
