import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { collectGarbage } from '../../src/platform/collect-garbage.ts';

it.each(['minor', 'major'] as const)('gives buffers back that nobody refers to: %s', async (kind) => {
  const held = () => process.memoryUsage().arrayBuffers;
  const before = held();
  for (let n = 0; n < 100; n += 1) new Uint8Array(1_000_000).fill(1);
  for (let times = 0; times < 3; times += 1) {
    collectGarbage(kind);
    await nextTurn();
  }
  await expect.poll(held, { timeout: 5_000 }).toBeLessThan(before + 30_000_000);
});
