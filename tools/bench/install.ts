import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Figure } from './lib/figure.ts';
import {
  automationAt,
  inTempFolder,
  median,
  PUBLISHER,
  ROOT,
  upload,
  whileStoreRuns,
} from './lib/processes.ts';
import { fiveMebibytes } from './lib/typical-app.ts';

/**
 * Several processes with few installations each: in a process that only installs, V8 shrinks the heap and then scans all of it each
 * time, which takes as long as a download. Real clients install seldom.
 */
const PROCESSES = 7;
const ROUNDS = 5;
const WARM_UP = 3;
const MIB = 2 ** 20;
const APP = { appId: 'com.example.notes', version: '1.0.0' };

type Round = { floor: number; ours: number };

const installs = (store: string, rounds: number): Promise<Round[]> =>
  inTempFolder(async (folder) => {
    const program = join(ROOT, 'tools', 'bench', 'install-app.js');
    const args = [store, folder, APP.appId, APP.version, rounds, WARM_UP].map(String);
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', program, ...args]);
    return JSON.parse(stdout) as Round[];
  });

/** Preparing and installing an app from a real store on this machine, against downloading its bundle and hashing it. */
export const installing = (): Promise<Figure> =>
  inTempFolder((data) =>
    whileStoreRuns(data, async ({ url }) => {
      const bytes = fiveMebibytes();
      await automationAt(url).addPublisher(PUBLISHER);
      await upload(url, bytes);
      await automationAt(url).approve(APP);
      // The first process fills the compile cache.
      await installs(url, 0);
      const rounds: Round[] = [];
      for (let n = 0; n < PROCESSES; n += 1) rounds.push(...(await installs(url, ROUNDS)));
      const [ours, floor] = [median(rounds.map((one) => one.ours)), median(rounds.map((one) => one.floor))];
      return {
        name: `Installing an app of ${(bytes.length / MIB).toFixed(1)} MiB from a store on this machine, durably, against downloading and hashing its bundle`,
        measured: `${ours.toFixed(1)} against ${floor.toFixed(1)} ms`,
        value: ours / floor,
        unit: ' times',
        bound: { most: 2 },
      };
    }),
  );
