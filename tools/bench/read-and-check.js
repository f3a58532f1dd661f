import { existsSync, readFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';

// Reads and checks one bundle, as the store does, and prints the cost of the whole process. Plain JavaScript, with the other modules
// from the compile cache: an installed package does not pay the 20 MB of type stripping.
enableCompileCache();
const { readBundle } = await import('@svc/bundle');
const { hasErrors, validateBundle } = await import('@svc/validator');

const bytes = readFileSync(process.argv[2] ?? '');
const started = performance.now();
const reading = readBundle(bytes);
const issues = reading.ok
  ? validateBundle(reading.entries, { mode: 'store', size: bytes.length }).issues
  : reading.issues;
const outcome = reading.ok ? (hasErrors(issues) ? 'faults' : 'sound') : 'refused';
const ms = Math.round(performance.now() - started);
process.stdout.write(JSON.stringify({ outcome, ms, peakBytes: peakKibibytes() * 1024 }));

/** VmHWM of this program on Linux; getrusage includes the memory of the parent at the fork. */
function peakKibibytes() {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  return Number(/VmHWM:\s*(\d+) kB/.exec(status)?.[1] ?? process.resourceUsage().maxRSS);
}
