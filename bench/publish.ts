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

/** Real source, such as a panel's libraries are: text that was made up deflates, and is searched, like nothing real. */
const SOURCE = readFileSync(createRequire(import.meta.url).resolve('typescript'));
const SOURCE_BYTES = 1_500_000;

/** Another part of the source each time, which no store has seen. */
const STEP = 20_000;

/** About 1 MiB: a third of it source, the rest pictures, which do not deflate. */
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

/** What no store can do without: inflate every file, hash, sign, and write so that it survives a power cut. */
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
  if (!reading.ok) throw new Error('The bundle of the benchmark cannot be read.');
  return [...reading.entries.values()].map((entry) => deflateRawSync(entry));
}

type Measures = Record<'floor' | 'ours', (bytes: Uint8Array, n: number) => number | Promise<number>>;

/**
 * Measures both sides in turns of some rounds each, so that noise hits both and neither has the other's garbage and cold
 * caches to pay for. The medians are in milliseconds; the first turn warms up.
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
      // Made beforehand: packing leaves garbage, whose collection would be counted on either side.
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

/** Cold, of bytes that no store has seen, and warm, an update whose libraries are those of the version before. */
export const publish = async (): Promise<Figure[]> => [
  await measure(' of bytes never seen', true, 3),
  await measure(', an update with the libraries of the version before', false, 2.5),
];
