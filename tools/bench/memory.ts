import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { HOSTILE_BUNDLES } from '../lib/hostile-bundles.ts';
import type { Figure } from './lib/figure.ts';
import { inTempFolder, ROOT } from './lib/processes.ts';

const MB = 1_000_000;
const MAKER = join(ROOT, 'tools', 'lib', 'hostile-bundles.ts');
const READER = join(ROOT, 'tools', 'bench', 'read-and-check.js');

/** Memory of a process that reads and checks one bundle. */
type Cost = { outcome: string; ms: number; peakBytes: number };

/** Builds a bundle in one process, and reads and checks it in another. Throws when either fails. */
function costOf(name: string, file: string): Cost {
  node(MAKER, name, file);
  return JSON.parse(node(READER, file)) as Cost;
}

function node(...args: string[]): string {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`${args.join(' ')} exited with ${status ?? signal}: ${stderr.slice(0, 2_000)}`);
  return stdout;
}

/** Peak memory over the hostile bundles, of the whole process that reads and checks each. Prints each. */
export const memory = (): Promise<Figure> =>
  inTempFolder(async (folder) => {
    const costs = Object.keys(HOSTILE_BUNDLES).map((name) => {
      const cost = costOf(name, join(folder, 'bundle.svc-app'));
      const { outcome, ms, peakBytes } = cost;
      process.stderr.write(`${name}: ${Math.round(peakBytes / MB)} MB, ${ms} ms, ${outcome}\n`);
      return { name, ...cost };
    });
    const worst = costs.reduce((a, b) => (b.peakBytes > a.peakBytes ? b : a));
    const least = Math.min(...costs.map(({ peakBytes }) => peakBytes));
    return {
      name: `Peak memory of a process that reads and checks any of ${costs.length} hostile bundles`,
      measured: `${worst.name}, against ${Math.round(least / MB)} MB for the cheapest`,
      value: worst.peakBytes / MB,
      unit: ' MB',
      bound: { most: 200 },
    };
  });
