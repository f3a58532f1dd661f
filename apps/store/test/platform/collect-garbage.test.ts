import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

const MODULE = new URL('../../src/platform/collect-garbage.ts', import.meta.url).href;

/**
 * Bytes of buffers that a separate process still holds after it released 30 MB of them: too few for V8 to collect by
 * itself. The process is separate, as marking in progress in the heap of other tests could keep the buffers.
 */
const heldAfter = (action: string): number => {
  const script = `
    import { setTimeout as pause } from 'node:timers/promises';
    import { collectGarbage } from ${JSON.stringify(MODULE)};
    for (let n = 0; n < 30; n += 1) new Uint8Array(1_000_000).fill(1);
    await pause(1);
    ${action};
    for (let tries = 0; tries < 100 && process.memoryUsage().arrayBuffers > 5_000_000; tries += 1) await pause(10);
    console.log(process.memoryUsage().arrayBuffers);`;
  return Number(
    execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' }),
  );
};

it.each(['minor', 'major'])('frees unreferenced buffers: %s', (kind) => {
  expect(heldAfter(`collectGarbage('${kind}')`)).toBeLessThan(5_000_000);
});

it('is necessary, as V8 alone does not free as many buffers', () => {
  expect(heldAfter('')).toBeGreaterThan(25_000_000);
});
