import { CleanupStack } from '@svc/runtime/cleanup-stack';
import type { GivenArgs } from '../../core/domain/parts/extension-command.ts';
import type { Sites } from '../../core/publishers/site.ts';
import { UPLOAD_BOUNDS } from '../../core/publishing/bounds.ts';
import type { System } from '../open-data.ts';
import { openParts } from '../open-parts.ts';
import type { Settings } from '../settings.ts';
import { createStore } from '../store.ts';

const offline = async () => ({ fault: 'A command reads no websites.' });

/** The websites of publishers, of which a command reads none. */
export const NO_SITES: Sites = { txt: offline, file: offline, post: offline, isPrivate: async () => false };

/**
 * Runs a command of an extension with all parts of the store, beside the running store if there is one. No work of the store is repeated
 * here, and nothing is asked over the network.
 * @throws ApiError with the line that the operator reads; SettingError when the store cannot be opened
 */
export async function runInStore(
  settings: Settings,
  system: System,
  name: string,
  args: GivenArgs,
): Promise<string> {
  // Loaded on demand, as the other commands draw and inspect nothing.
  const { createProcessRenderer } = await import('../../adapters/picture/process-renderer.ts');
  const { createWorkerInspector } = await import('../../adapters/worker/worker-inspector.ts');
  const opened = new CleanupStack();
  try {
    const pictures = opened.adopt(createProcessRenderer());
    const inspector = opened.adopt(createWorkerInspector({ ...settings, ...UPLOAD_BOUNDS }));
    const parts = opened.adopt(
      await openParts(settings, { ...system, sites: NO_SITES, pictures }, inspector, {}),
    );
    const command = createStore(parts.parts).commands[name];
    if (!command) throw new Error(`There is no command ${name}.`);
    return await command(args);
  } finally {
    await opened.disposeAsync();
  }
}
