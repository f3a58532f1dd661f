import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { readBundle } from '@svc/bundle';
import { packedSample } from '@svc/testkit';
import type { Figure } from './lib/figure.ts';
import { automationAt, inTempFolder, median, PUBLISHER, upload, whileStoreRuns } from './lib/processes.ts';

const TURN = 20;
const TURNS = 10;

/** Real source, like a panel's libraries: generated text compresses and parses unlike real code. */
const SOURCE = readFileSync(createRequire(import.meta.url).resolve('typescript'));
const SOURCE_BYTES = 1_500_000;

/** Another part of the source each time, so that it is new to the store. */
const STEP = 20_000;

/** About 1 MiB: a third is source, the rest are images, which do not compress. */
function bundleOf(n: number, isNew: boolean): Uint8Array {
  const start = isNew ? n * STEP : 0;
  const files = {
    'ui/panel.js': SOURCE.subarray(start, start + SOURCE_BYTES),
    'assets/photo.jpg': randomBytes(700_000),
  };
  return packedSample({ version: `1.${n}.0` }, files);
}

const syncPath = (path: string) => {
  const handle = openSync(path, 'r');
  fsyncSync(handle);
  closeSync(handle);
};

const { privateKey } = generateKeyPairSync('ed25519');

/** The minimum work of any store: inflate every file, hash, sign, and write durably. */
function bareCost(bytes: Uint8Array, deflated: Buffer[], folder: string, name: string): number {
  const started = performance.now();
  for (const one of deflated) inflateRawSync(one);
  const hash = createHash('sha256').update(bytes).digest();
  sign(null, hash, privateKey);
  const file = join(folder, name);
  const handle = openSync(`${file}.part`, 'w');
  writeSync(handle, bytes);
  fsyncSync(handle);
  closeSync(handle);
  renameSync(`${file}.part`, file);
  syncPath(folder);
  return performance.now() - started;
}

function deflatedFiles(bytes: Uint8Array): Buffer[] {
  const reading = readBundle(bytes);
  if (!reading.ok) throw new Error('The bundle of the benchmark is invalid.');
  return [...reading.entries.values()].map((entry) => deflateRawSync(entry));
}

type Measures = Record<'floor' | 'ours', (bytes: Uint8Array, n: number) => number | Promise<number>>;

/**
 * Alternates both measurements in turns of several rounds, so that noise affects both, and neither pays for the other's garbage and
 * cold caches. Returns medians in milliseconds; the first turn is a warm-up.
 */
async function takeTurns(bundles: readonly Uint8Array[], measures: Measures) {
  const times: Record<keyof Measures, number[]> = { floor: [], ours: [] };
  for (let start = 0; start < bundles.length; start += TURN) {
    for (const side of ['floor', 'ours'] as const) {
      for (const [n, bytes] of bundles.slice(start, start + TURN).entries()) {
        const time = await measures[side](bytes, start + n);
        if (start > 0) times[side].push(time);
      }
    }
  }
  return { floor: median(times.floor), ours: median(times.ours) };
}

/** Publishing a 1 MiB update over HTTP until the 201, against the bare cost of the work in it. */
const measure = (what: string, isNew: boolean, most: number): Promise<Figure> =>
  inTempFolder((folder) =>
    whileStoreRuns(join(folder, 'data'), async ({ url }) => {
      // Built in advance: packing leaves garbage, whose collection would be measured.
      const [first, ...bundles] = Array.from({ length: TURN * TURNS + 1 }, (_, n) => bundleOf(n, isNew));
      const deflated = bundles.map(deflatedFiles);
      await automationAt(url).addPublisher(PUBLISHER);
      await upload(url, first as Uint8Array);
      await automationAt(url).approve({ appId: 'com.example.notes', version: '1.0.0' });
      const { floor, ours } = await takeTurns(bundles, {
        floor: (bytes, n) => bareCost(bytes, deflated[n] ?? [], folder, `bare-${n}`),
        ours: async (bytes) => {
          const started = performance.now();
          await upload(url, bytes);
          return performance.now() - started;
        },
      });
      return {
        name: `Publishing a 1 MiB bundle${what}, request to 201, against inflating, hashing, signing and writing it durably`,
        measured: `${ours.toFixed(1)} against ${floor.toFixed(1)} ms`,
        value: ours / floor,
        unit: ' times',
        bound: { most },
      };
    }),
  );

/** Cold: new bytes. Warm: an update with the libraries of the version before. */
export const publish = async (): Promise<Figure[]> => [
  await measure(' of new bytes', true, 3),
  await measure(', an update with the libraries of the version before', false, 2.5),
];
