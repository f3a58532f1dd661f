import { describe, expect, it } from 'vitest';
import { createReadiness } from '../../../src/core/operations/readiness.ts';

function at(start: number) {
  let now = start;
  const readiness = createReadiness(() => new Date(now));
  return { readiness, wait: (ms: number) => (now += ms) };
}

describe('the readiness of a process', () => {
  it('ends when the process stops', () => {
    const { readiness } = at(0);
    expect(readiness.ask()).toBe(true);
    readiness.end();
    expect(readiness.ask()).toBe(false);
  });

  it('needs no grace period when no load balancer probes', () => {
    expect(at(0).readiness.end()).toBe(false);
  });

  it.each([
    [59_999, true],
    [60_000, false],
  ])('needs a grace period if the last probe was %i ms ago: %s', (ms, needed) => {
    const { readiness, wait } = at(1_000_000);
    readiness.ask();
    wait(ms);
    expect(readiness.end()).toBe(needed);
  });
});
