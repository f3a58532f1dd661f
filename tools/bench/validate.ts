import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { readBundle } from '@svc/bundle';
import { manifestJsonSchema } from '@svc/contracts';
import { hasErrors, validateBundle, validateManifest } from '@svc/validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Figure } from './lib/figure.ts';
import { takeTurns, timed } from './lib/take-turns.ts';
import { fiveMebibytes, TYPICAL } from './lib/typical-app.ts';

const MANIFESTS_A_ROUND = 2_000;
const MIB = 2 ** 20;

/** All checks of a manifest on one core, beside a compiled JSON Schema that checks schema only. */
export async function manifestCheck(): Promise<Figure> {
  const fits = new Ajv2020({ strictTypes: false }).compile(
    manifestJsonSchema('https://store.example.com/schema'),
  );
  if (!fits(TYPICAL) || hasErrors(validateManifest(TYPICAL, { mode: 'store' }))) {
    throw new Error('The typical manifest has a fault.');
  }
  const many = (work: () => unknown) =>
    timed(() => {
      for (let n = 0; n < MANIFESTS_A_ROUND; n += 1) work();
    });
  const sides = {
    ours: many(() => validateManifest(TYPICAL, { mode: 'store' })),
    floor: many(() => fits(TYPICAL)),
  };
  const { ours, floor } = takeTurns(sides, 25);
  const rate = (took: number) => Math.round((MANIFESTS_A_ROUND / took) * 1000);
  return {
    name: 'Full check of a typical manifest (six tools) on one core',
    measured: `${rate(ours)} manifests/s; ajv, compiled, schema only: ${rate(floor)} (${(ours / floor).toFixed(1)} times faster)`,
    value: rate(ours),
    unit: '/s',
    bound: { least: 20_000 },
  };
}

/** Reading and checking a whole bundle, against inflating its files and hashing it. */
export async function bundleCheck(): Promise<Figure> {
  const bytes = fiveMebibytes();
  const reading = readBundle(bytes);
  if (!reading.ok) throw new Error('The bundle of the benchmark cannot be read.');
  const deflated = [...reading.entries.values()].map((entry) => deflateRawSync(entry));
  const check = () => {
    const again = readBundle(bytes);
    if (!again.ok || hasErrors(validateBundle(again.entries, { mode: 'store', size: bytes.length }).issues)) {
      throw new Error('The bundle of the benchmark has a fault.');
    }
  };
  const bare = () => {
    for (const one of deflated) inflateRawSync(one);
    createHash('sha256').update(bytes).digest();
  };
  const { ours, floor } = takeTurns({ ours: timed(check), floor: timed(bare) }, 30);
  return {
    name: `Reading and checking a bundle of ${(bytes.length / MIB).toFixed(1)} MiB against inflating its files and hashing it`,
    measured: `${ours.toFixed(1)} against ${floor.toFixed(1)} ms`,
    value: ours / floor,
    unit: ' times',
    bound: { most: 3 },
  };
}
