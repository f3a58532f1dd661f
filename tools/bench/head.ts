import { generateSigningKeyPem, readSigningKey, signHead } from '@svc/signing';
import type { Figure } from './lib/figure.ts';
import { median, percentile } from './lib/processes.ts';
import { timed, withApps } from './neighbours.ts';

const APPS = 10_000;
const ASKED = 1_000;
const SIGNED = 2_000;
const VERSIONS = 20;

/** Microseconds to sign a head of an app with some versions, with the hash of its list. */
function signingFigure(): Figure {
  const key = readSigningKey(generateSigningKeyPem());
  const versions = Array.from({ length: VERSIONS }, (_, n) => ({
    version: `1.${n}.0`,
    sha256: n.toString(16).padStart(64, '0'),
    state: 'published' as const,
  }));
  const times: number[] = [];
  for (let n = 0; n < SIGNED; n += 1) {
    const began = performance.now();
    signHead({ appId: 'com.example.notes', latest: '1.19.0', versions }, '2026-01-01T00:00:00.000Z', key);
    times.push((performance.now() - began) * 1_000);
  }
  return {
    name: `Signing the head of an app with ${VERSIONS} versions`,
    measured: `p50 ${median(times).toFixed(0)}, p99 ${percentile(times, 0.99).toFixed(0)} µs, of ${SIGNED}`,
    value: median(times),
    unit: ' µs',
    bound: { most: 500 },
  };
}

/** The head of an app, which is signed for each answer, against its details, each asked for once. */
export const heads = async (): Promise<Figure[]> => [
  signingFigure(),
  await withApps(APPS, async (store) => {
    const times = { head: [] as number[], detail: [] as number[] };
    for (let n = 0; n < ASKED; n += 1) {
      const app = `/api/apps/com.corpus.app${n}`;
      times.head.push((await timed(store, `${app}/head?list=1`)).ms);
      times.detail.push((await timed(store, app)).ms);
    }
    const [head, detail] = [times.head, times.detail].map((ms) => percentile(ms.slice(50), 0.99)) as [
      number,
      number,
    ];
    return {
      name: `The head of an app against its details, of ${APPS} apps, each asked for once: p99`,
      measured: `${head.toFixed(1)} ms against ${detail.toFixed(1)} ms; p50 ${median(times.head).toFixed(2)} and ${median(times.detail).toFixed(2)} ms`,
      value: head / detail,
      unit: ' times',
      bound: { most: 1 },
    };
  }),
];
