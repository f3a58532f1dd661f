import { describe, expect, it } from 'vitest';
import { askProbes } from '../../src/platform/probe.ts';

describe('what the store cannot do without', () => {
  it('is not waited for for ever', async () => {
    const probes = { database: async () => 1, 'bundle storage': () => new Promise(() => {}) };
    expect(await askProbes(probes)).toEqual([
      { name: 'database', ok: true },
      { name: 'bundle storage', ok: false },
    ]);
  });

  it('says of a fault that there is one, and not what it holds', async () => {
    const probes = { database: () => Promise.reject(new Error('postgres://svc:secret@db')) };
    expect(await askProbes(probes)).toEqual([{ name: 'database', ok: false }]);
  });
});
