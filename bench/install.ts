import { createHash } from 'node:crypto';
import {
  createEvents,
  createInstaller,
  createLibrary,
  createStoreKeys,
  createStoreReader,
  openLibraryStorage,
  storeFetch,
  systemAmbient,
} from '@svc/runtime';
import type { Figure } from './lib/figure.ts';
import { automationAt, inTempFolder, median, PUBLISHER, upload, whileStoreRuns } from './lib/processes.ts';
import { took } from './lib/took.ts';
import { fiveMebibytes } from './lib/typical-app.ts';

const ROUNDS = 25;
const WARM_UP = 5;
const MIB = 2 ** 20;
const APP = 'com.example.notes';

async function openClient(folder: string, store: string) {
  const storage = await openLibraryStorage(systemAmbient, folder);
  const events = createEvents(() => undefined);
  const client = { platform: process.platform, arch: process.arch, builtInApps: [] };
  const library = createLibrary({ storage, events, client });
  const reader = createStoreReader({
    ambient: systemAmbient,
    fetch: storeFetch,
    store,
    installId: 'benchmark',
  });
  const keys = createStoreKeys({ storage, reader });
  return {
    library,
    installer: createInstaller({ ambient: systemAmbient, storage, library, events, client, reader, keys }),
    storage,
  };
}

type Client = Awaited<ReturnType<typeof openClient>>;

/** Each begins without the garbage of the one before, which would be collected at its cost. */
function timed(work: () => Promise<unknown>): Promise<number> {
  globalThis.gc?.();
  return took(work);
}

async function bare(url: string): Promise<void> {
  const response = await fetch(`${url}/api/apps/${APP}/versions/1.0.0/bundle`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const hash = createHash('sha256').update(bytes).digest('hex');
  if (hash !== response.headers.get('x-svc-sha256')) throw new Error('The hash differs.');
}

async function install({ installer }: Client): Promise<void> {
  const sheet = await installer.prepareInstall(APP, '1.0.0');
  await installer.install(sheet, { accepted: true, binding: sheet.binding });
}

/** Preparing and installing an app from a real store on this machine, against downloading its bundle and hashing it. */
export const installing = (): Promise<Figure> =>
  inTempFolder((data) =>
    whileStoreRuns(data, ({ url }) =>
      inTempFolder(async (folder) => {
        const bytes = fiveMebibytes();
        await automationAt(url).addPublisher(PUBLISHER);
        await upload(url, bytes);
        await automationAt(url).approve({ appId: APP, version: '1.0.0' });
        const client = await openClient(folder, url);
        const times = { ours: [] as number[], floor: [] as number[] };
        for (let round = -WARM_UP; round < ROUNDS; round += 1) {
          const took = { floor: await timed(() => bare(url)), ours: await timed(() => install(client)) };
          client.library.remove(APP);
          if (round < 0) continue;
          times.floor.push(took.floor);
          times.ours.push(took.ours);
        }
        client.storage.close();
        const [ours, floor] = [median(times.ours), median(times.floor)];
        return {
          name: `Installing an app of ${(bytes.length / MIB).toFixed(1)} MiB from a store on this machine, durably, against downloading and hashing its bundle`,
          measured: `${ours.toFixed(1)} against ${floor.toFixed(1)} ms`,
          value: ours / floor,
          unit: ' times',
          bound: { most: 2 },
        };
      }),
    ),
  );
