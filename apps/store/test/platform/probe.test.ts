import { stat } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { loggedProbes, runProbes } from '../../src/platform/probe.ts';

describe('a probe', () => {
  it('fails when it does not answer in time', async () => {
    const probes = { database: async () => 1, 'bundle storage': () => new Promise(() => {}) };
    expect(await runProbes(probes)).toEqual([
      { name: 'database', ok: true },
      { name: 'bundle storage', ok: false },
    ]);
  });

  it('succeeds when it answers while the event loop is blocked', async () => {
    // After immediates, the event loop runs timers before it reads I/O.
    await new Promise((resolve) => setImmediate(resolve));
    const asked = runProbes({ 'bundle storage': () => stat(import.meta.filename) });
    // Blocks the event loop for longer than the timeout of a probe.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
    expect(await asked).toEqual([{ name: 'bundle storage', ok: true }]);
  });

  it('reports that it failed, without the error', async () => {
    const probes = { database: () => Promise.reject(new Error('postgres://svc:secret@db')) };
    expect(await runProbes(probes)).toEqual([{ name: 'database', ok: false }]);
  });

  it('is logged when it begins to fail, with the cause, and when it succeeds again', async () => {
    const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
    const err = new Error('certificate has expired');
    let isAway = false;
    const bucket = async () => {
      if (isAway) throw err;
    };
    const probes = loggedProbes({ 'bundle storage': bucket }, log);
    for (const away of [false, true, true, true, false, false]) {
      isAway = away;
      expect(await runProbes(probes)).toEqual([{ name: 'bundle storage', ok: !away }]);
    }
    const part = 'bundle storage';
    expect(log.error.mock.calls).toEqual([[{ part, err }, 'The bundle storage is not ready.']]);
    expect(log.warn.mock.calls).toEqual([[{ part }, 'The bundle storage is ready again.']]);
  });
});
