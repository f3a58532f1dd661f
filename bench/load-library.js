import { existsSync, readFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';

// Run as a program: opens a library and lists all that is installed, and tells how long that took and what the whole process
// took of memory. Plain JavaScript, and the rest out of the compile cache, as in read-and-check.js.
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

/** Linux tells it of this program alone; what getrusage tells there includes what the parent had when it forked. */
function peakKibibytes() {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  return Number(/VmHWM:\s*(\d+) kB/.exec(status)?.[1] ?? process.resourceUsage().maxRSS);
}
