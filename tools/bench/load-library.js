import { existsSync, readFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';

// Opens a library, lists the installed apps, and prints the time and the memory of the process. Plain JavaScript, with the other
// modules from the compile cache, as in read-and-check.js.
enableCompileCache();
const { createEvents, createLibrary, openLibraryStorage } = await import('@svc/runtime/parts');

const system = {
  now: Date.now,
  randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};
const client = { platform: process.platform, arch: process.arch, builtInApps: [] };

const started = performance.now();
const storage = await openLibraryStorage(system, process.argv[2] ?? '');
const events = createEvents(() => undefined);
const apps = createLibrary({ storage, events, client }).list();
const ms = performance.now() - started;
process.stdout.write(JSON.stringify({ apps: apps.length, ms, peakBytes: peakKibibytes() * 1024 }));

/** VmHWM of this program on Linux; getrusage includes the memory of the parent at the fork. */
function peakKibibytes() {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  return Number(/VmHWM:\s*(\d+) kB/.exec(status)?.[1] ?? process.resourceUsage().maxRSS);
}
