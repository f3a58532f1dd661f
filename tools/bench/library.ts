import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { footprintOf } from '@svc/permissions';
import { defaultSystem } from '@svc/runtime';
import { createEvents, createLibrary, openLibraryStorage } from '@svc/runtime/parts';
import type { Figure } from './lib/figure.ts';
import { inTempFolder, median, ROOT } from './lib/processes.ts';
import { TYPICAL } from './lib/typical-app.ts';

const APPS = 1_000;
const ROUNDS = 7;
const MB = 1_000_000;

type Load = { apps: number; ms: number; peakBytes: number };

/** Uses connectors, which need no signature; the stored manifest and consent are the same as for apps. */
async function fill(folder: string): Promise<void> {
  const storage = await openLibraryStorage(defaultSystem, folder);
  const client = { platform: process.platform, arch: process.arch, builtInApps: [] };
  const library = createLibrary({ storage, events: createEvents(() => undefined), client });
  for (let n = 0; n < APPS; n += 1) {
    const manifest = { ...TYPICAL, id: `com.example.app-${n}` };
    library.addConnector({
      appId: manifest.id,
      version: manifest.version,
      manifest,
      consent: footprintOf(manifest),
      source: { kind: 'connector', url: `https://mcp-${n}.example.com/mcp` },
      on: true,
      yanked: null,
    });
  }
  storage.close();
}

function load(folder: string): Load {
  const args = [join(ROOT, 'tools', 'bench', 'load-library.js'), folder];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`load-library.js exited with ${status}: ${stderr.slice(0, 2_000)}`);
  const loaded = JSON.parse(stdout) as Load;
  if (loaded.apps !== APPS) throw new Error(`${loaded.apps} apps were loaded.`);
  return loaded;
}

/** Time and memory of a process that opens a library of a thousand typical apps and lists them. */
export const libraryLoad = (): Promise<Figure[]> =>
  inTempFolder(async (folder) => {
    await fill(folder);
    load(folder);
    const rounds = Array.from({ length: ROUNDS }, () => load(folder));
    const peak = median(rounds.map(({ peakBytes }) => peakBytes)) / MB;
    const took = median(rounds.map(({ ms }) => ms));
    const name = `Opening a library of ${APPS} installed apps and listing them`;
    return [
      { name, measured: `${took.toFixed(0)} ms`, value: took / 1_000, unit: ' s', bound: { most: 1 } },
      {
        name: `${name}: the whole process`,
        measured: `${peak.toFixed(0)} MB`,
        value: peak,
        unit: ' MB',
        bound: { most: 150 },
      },
    ];
  });
