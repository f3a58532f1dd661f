import { stat } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { runProbes } from '../../src/platform/probe.ts';

describe('what the store cannot do without', () => {
  it('is not waited for for ever', async () => {
    const probes = { database: async () => 1, 'bundle storage': () => new Promise(() => {}) };
    expect(await runProbes(probes)).toEqual([
      { name: 'database', ok: true },
      { name: 'bundle storage', ok: false },
    ]);
  });

  it('counts as there when it answered while the process itself was held up', async () => {
    // Timers come next after immediates, ahead of what is read.
    await new Promise((resolve) => setImmediate(resolve));
    const asked = runProbes({ 'bundle storage': () => stat(import.meta.filename) });
    // Longer than a check may take: nothing is read from the event loop meanwhile.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
    expect(await asked).toEqual([{ name: 'bundle storage', ok: true }]);
  });

  it('says of a fault that there is one, and not what it holds', async () => {
    const probes = { database: () => Promise.reject(new Error('postgres://svc:secret@db')) };
    expect(await runProbes(probes)).toEqual([{ name: 'database', ok: false }]);
  });
});
