import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Figure } from './lib/figure.ts';
import { ROOT } from './lib/processes.ts';

const BUILT = ['apps/web/dist', 'apps/desktop/page/dist'];

/** Runs the demo until it prints the URL of its desktop. @returns milliseconds */
async function ready(): Promise<number> {
  const started = performance.now();
  const child = spawn('npm', ['run', '-s', 'demo', '--', '--no-open'], {
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let said = '';
  for await (const text of child.stdout) {
    said += text;
    if (said.includes('Desktop: http')) break;
  }
  if (!said.includes('Desktop: http')) throw new Error('The demo did not start.');
  const took = performance.now() - started;
  child.stdin.end('q\n');
  await once(child, 'exit');
  return took;
}

/** `npm run demo` until everything is ready: the first time, which builds the pages, and later. */
export async function demo(): Promise<Figure[]> {
  for (const folder of BUILT) rmSync(join(ROOT, folder), { recursive: true, force: true });
  const [first, later] = [await ready(), await ready()];
  return [
    {
      name: '`npm run demo`, once installed, until everything is ready: the first time, with its pages to be built',
      measured: `${Math.round(first)} ms`,
      value: first / 1000,
      unit: ' s',
      bound: { most: 15 },
    },
    {
      name: '`npm run demo` later',
      measured: `${Math.round(later)} ms`,
      value: later / 1000,
      unit: ' s',
      bound: { most: 15 },
    },
  ];
}
