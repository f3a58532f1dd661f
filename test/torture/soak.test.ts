import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEEP, needs } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import type { Memory } from '../../tools/torture/preload/memory.ts';
import { randomOf } from '../../tools/torture/random.ts';
import { slopeOf } from '../../tools/torture/slope.ts';
import { report, type Sample } from '../../tools/torture/soak/measures.ts';

const MINUTES = 30;

/** Samples of a stable store: each measure varies around a constant value, unless `grown` replaces it. */
function samplesOf(grown: (minute: number) => Partial<Sample>): Sample[] {
  const random = randomOf(1);
  const about = (value: number) => value * (0.95 + random.below(100) / 1000);
  const samples: Sample[] = [];
  for (let minute = 0.25; minute <= MINUTES; minute += 0.25) {
    const flat = { memoryMb: about(300), keptMb: about(170), heapMb: about(45), externalMb: about(12) };
    samples.push({
      minute,
      ...flat,
      descriptors: 50,
      logMb: 4,
      cpuMsPerRequest: about(3),
      p99Ms: about(500),
    });
    Object.assign(samples.at(-1) as Sample, grown(minute));
  }
  return samples;
}

const failuresOf = (samples: readonly Sample[]): string[] =>
  report(samples, true).failures.map((failure) => failure.split(' ')[0] as string);

describe('leaks found by a soak', () => {
  it('are none in a stable store', () => {
    expect(failuresOf(samplesOf(() => ({})))).toEqual([]);
  });

  it('include memory that grows after garbage collection', () => {
    expect(failuresOf(samplesOf((minute) => ({ keptMb: 170 + 3 * minute })))).toEqual(['keptMb']);
    expect(failuresOf(samplesOf((minute) => ({ heapMb: 45 + minute })))).toEqual(['heapMb']);
    expect(failuresOf(samplesOf((minute) => ({ externalMb: 12 + minute })))).toEqual(['externalMb']);
  });

  it('include open descriptors, a growing log, and growing work per request', () => {
    expect(failuresOf(samplesOf((minute) => ({ descriptors: 50 + Math.floor(minute) })))).toEqual([
      'descriptors',
    ]);
    expect(failuresOf(samplesOf((minute) => ({ logMb: 4 + minute })))).toEqual(['logMb']);
    expect(failuresOf(samplesOf((minute) => ({ cpuMsPerRequest: 3 + minute / 10 })))).toEqual([
      'cpuMsPerRequest',
    ]);
  });

  it('exclude garbage, and wall-clock time on a busy machine', () => {
    expect(failuresOf(samplesOf((minute) => ({ memoryMb: 300 + 10 * minute, p99Ms: 100 * minute })))).toEqual(
      [],
    );
  });

  it('exclude growth during the warm-up', () => {
    const warming = samplesOf((minute) => ({ keptMb: minute < MINUTES / 4 ? 20 * minute : 150 }));
    expect(failuresOf(warming)).toEqual([]);
  });

  it('have a confidence interval with the true slope, wider for fewer samples', () => {
    const random = randomOf(2);
    const rounds = Array.from({ length: 200 }, () => {
      const minutes = Array.from({ length: 8 }, (_, n) => n);
      const slope = slopeOf(
        minutes,
        minutes.map((minute) => 2 * minute + random.below(1000) / 1000),
      );
      return slope.low <= 2 && slope.high >= 2;
    });
    // 95 of 100, minus a margin for chance.
    expect(rounds.filter(Boolean).length).toBeGreaterThan(180);
  });
});

const PRELOAD = new URL('../../tools/torture/preload/main.ts', import.meta.url).href;
const MB = 1024 * 1024;

/** A process that retains bytes on request, and drops others. */
const KEEPER = `
const kept = [];
// The preload does not keep a process alive.
setInterval(() => {}, 60_000);
process.on('message', ({ keep, drop }) => {
  if (keep) kept.push(Buffer.alloc(keep, 1), Array.from({ length: keep / 100 }, (_, n) => ({ n })));
  for (let left = drop ?? 0; left > 0; left -= 1e6) Buffer.alloc(1e6, 1);
});
`;

describe('the memory of a process', {
  ...needs(process.platform === 'linux', 'needs /proc, which Linux has'),
}, () => {
  it('counts live objects, not dropped ones', DEEP, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-keeper-'));
    const file = join(folder, 'keeper.cjs');
    writeFileSync(file, KEEPER);
    const child = fork(file, { execArgv: ['--import', PRELOAD] });
    const ask = async (command: object) => {
      const answer = once(child, 'message');
      child.send(command);
      return (await answer)[0];
    };
    const measure = async () => ((await ask({ memory: true })) as { memory: Memory }).memory;
    try {
      const first = await measure();
      await ask({ drop: 200 * MB });
      const dropped = await measure();
      expect(dropped.after - first.after).toBeLessThan(15 * MB);
      await ask({ keep: 60 * MB });
      const kept = await measure();
      expect(kept.external - first.external).toBeGreaterThan(50 * MB);
      expect(kept.heap - first.heap).toBeGreaterThan(10 * MB);
      expect(kept.after - first.after).toBeGreaterThan(60 * MB);
    } finally {
      child.kill('SIGKILL');
      await rm(folder, { recursive: true });
    }
  });
});
