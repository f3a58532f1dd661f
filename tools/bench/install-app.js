import { createHash } from 'node:crypto';
import { enableCompileCache } from 'node:module';

// Alternates installing an app from a store with downloading and hashing its bundle, and prints the times. A separate process with only
// the memory of a client, since the time of a garbage collection depends on it. Plain JavaScript, with the other modules from the
// compile cache, as in read-and-check.js.
enableCompileCache();
const {
  createEvents,
  createInstaller,
  createLibrary,
  createStoreKeys,
  createStoreReader,
  openLibraryStorage,
  storeFetch,
} = await import('@svc/runtime/parts');
const { defaultSystem: system } = await import('@svc/runtime');

const [store = '', folder = '', appId = '', version = '', rounds = '0', warmUp = '0'] = process.argv.slice(2);
const client = { platform: process.platform, arch: process.arch, builtInApps: [] };

const storage = await openLibraryStorage(system, folder);
const events = createEvents(() => undefined);
const library = createLibrary({ storage, events, client });
const reader = createStoreReader({ system, fetch: storeFetch, store, installId: 'benchmark' });
const keys = createStoreKeys({ storage, reader });
const installer = createInstaller({ system, storage, library, events, client, reader, keys });

async function download() {
  const response = await fetch(`${store}/api/apps/${appId}/versions/${version}/bundle`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const hash = createHash('sha256').update(bytes).digest('hex');
  if (hash !== response.headers.get('x-svc-sha256')) throw new Error('The hash differs.');
}

async function install() {
  const sheet = await installer.prepareInstall(appId, version);
  await installer.install(sheet, { accepted: true, binding: sheet.binding });
}

/** Milliseconds. Collects garbage before each run, so that it is not collected during the run. */
async function timed(work) {
  globalThis.gc?.({ type: 'minor' });
  const started = performance.now();
  await work();
  return performance.now() - started;
}

const times = [];
for (let round = -Number(warmUp); round < Number(rounds); round += 1) {
  const took = { floor: await timed(download), ours: await timed(install) };
  library.remove(appId);
  if (round >= 0) times.push(took);
}
storage.close();
process.stdout.write(JSON.stringify(times));
