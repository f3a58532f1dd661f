import { runs } from '@svc/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PARTS } from '../tools/fuzz/parts.ts';
import { type Part, promise } from '../tools/fuzz/promise.ts';
import { runCase } from '../tools/fuzz/run-case.ts';

/** A small sample of `npm run fuzz`; reproduce a failure with `npm run fuzz -- --runs 1 --seed N`. */
const CASES_PER_PART = runs(400);

describe('a fuzz case', () => {
  it.each(PARTS.map((part, index) => [part.name, index] as const))('passes every check: %s', (_, index) => {
    const seeds = Array.from({ length: CASES_PER_PART }, (_, nth) => nth * PARTS.length + index);
    expect(seeds.flatMap((seed) => runCase(seed) ?? [])).toEqual([]);
  });

  it.each(PARTS.map((part) => [part.name, part] as const))('is the same for the same seed: %s', (_, part) => {
    const inputOf = (seed: number) => {
      const seen: Uint8Array[] = [];
      runCase(seed, { ...part, check: (input: unknown) => seen.push(part.toFile(input)) });
      return seen;
    };
    expect(inputOf(11)).toEqual(inputOf(11));
    const inputs = new Set([1, 2, 3, 4, 5].map((seed) => Buffer.concat(inputOf(seed)).toString('hex')));
    expect(inputs.size).toBeGreaterThan(1);
  });
});

describe('a violated guarantee', () => {
  const numbers: Part<number> = {
    name: 'number',
    inputs: fc.integer({ min: 100, max: 1_000_000 }),
    check: () => undefined,
    toFile: (value) => new TextEncoder().encode(String(value)),
  };

  it('is reported with its seed and the smallest failing input', () => {
    const check = (value: number) => promise(value < 100, `${value} is too large`);
    const failure = runCase(7, { ...numbers, check });
    expect(failure).toMatchObject({ seed: 7, part: 'number', file: new TextEncoder().encode('100') });
    expect(failure?.message).toContain('100 is too large');
  });

  it('includes errors thrown by a check', () => {
    const check = () => {
      throw new TypeError('no such property');
    };
    expect(runCase(7, { ...numbers, check })?.message).toContain('no such property');
  });

  it('includes cases that take too long', () => {
    const check = () => {
      const end = process.threadCpuUsage().user + 60_000;
      while (process.threadCpuUsage().user < end);
    };
    const failure = runCase(7, { ...numbers, inputs: fc.constant(1), check }, 40);
    expect(failure?.message).toMatch(/it took \d+ ms/);
  });
});
