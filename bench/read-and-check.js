import { existsSync, readFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';

// Run as a program: reads and checks one bundle, as the store does, and tells what that cost the whole process. Plain
// JavaScript, and the rest out of the compile cache: what stripping types takes, 20 MB, nobody pays who has it installed.
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

/** Linux tells it of this program alone; what getrusage tells there includes what the parent had when it forked. */
function peakKibibytes() {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  return Number(/VmHWM:\s*(\d+) kB/.exec(status)?.[1] ?? process.resourceUsage().maxRSS);
}
