import { expect, it } from 'vitest';
import type { CommandContext } from '../../src/commands/command.ts';
import { untilIdle } from '../../src/commands/start.ts';
import type { OpenDesktop } from '../../src/open-desktop.ts';

/** A desktop with the time of its last use in milliseconds, and a fake clock that `sleep` advances. */
function started(used: () => number) {
  let now = 0;
  const stopped = new AbortController();
  const closed: number[] = [];
  const world = {
    system: {
      sleep: async (ms: number) => {
        now += ms;
      },
    },
    stopped: stopped.signal,
  } as CommandContext;
  const opened = { idleMs: () => now - used(), close: async () => void closed.push(now) } as OpenDesktop;
  return { world, opened, closed, stopped, now: () => now };
}

it('closes the desktop ten minutes after its last use, and not earlier', async () => {
  const { world, opened, closed } = started(() => 0);
  await untilIdle(world, opened);
  expect(closed).toEqual([600_000]);
  let last = 0;
  const busy = started(() => last);
  const until = untilIdle(busy.world, {
    ...busy.opened,
    // The desktop is in use for the first hour.
    idleMs: () => {
      if (busy.now() < 3_600_000) last = busy.now();
      return busy.now() - last;
    },
  });
  await until;
  expect(busy.closed[0]).toBeGreaterThanOrEqual(4_185_000);
});

it('closes the desktop immediately when it is stopped', async () => {
  const { world, opened, closed, stopped } = started(() => 0);
  stopped.abort();
  await untilIdle(world, opened);
  expect(closed).toEqual([0]);
});
