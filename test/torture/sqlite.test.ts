import { DEEP } from '@svc/testkit';
import { describe, it } from 'vitest';
import { usableDisks } from '../../tools/torture/disk.ts';
import { clocks } from '../../tools/torture/experiments/clocks.ts';
import { commands } from '../../tools/torture/experiments/commands.ts';
import { decisions } from '../../tools/torture/experiments/decisions.ts';
import { descriptors } from '../../tools/torture/experiments/descriptors.ts';
import { faults } from '../../tools/torture/experiments/faults.ts';
import { files } from '../../tools/torture/experiments/files.ts';
import { flips } from '../../tools/torture/experiments/flips.ts';
import { full } from '../../tools/torture/experiments/full.ts';
import { kill } from '../../tools/torture/experiments/kill.ts';
import { logWriter } from '../../tools/torture/experiments/log-writer.ts';
import { logs } from '../../tools/torture/experiments/logs.ts';
import { mail } from '../../tools/torture/experiments/mail.ts';
import { media } from '../../tools/torture/experiments/media.ts';
import { power } from '../../tools/torture/experiments/power.ts';
import { race } from '../../tools/torture/experiments/race.ts';
import { randomKill } from '../../tools/torture/experiments/random-kill.ts';
import { requests } from '../../tools/torture/experiments/requests.ts';
import { soak } from '../../tools/torture/experiments/soak.ts';
import { volumes } from '../../tools/torture/experiments/volumes.ts';
import { sqliteBackend } from '../../tools/torture/site.ts';
import { expectUnhurt } from './share.ts';

/** A small part of `npm run torture`, which shows details of a failure. */
describe('a store on SQLite and disk', { ...DEEP, timeout: 240_000 }, () => {
  it.each([
    [race, 3],
    [decisions, 2],
    [flips, 1],
    [descriptors, 2],
    [logs, 500],
    [files, 50],
    [requests, 1_000],
  ])('survives $name', (experiment, count) => expectUnhurt(experiment, sqliteBackend, count));

  // Each has its own store, and mostly waits until the leases of killed processes expire, so they run concurrently.
  it.concurrent.each([
    [kill, 1],
    [randomKill, 1],
    [faults, 2],
    [clocks, 1],
    [volumes, 1],
    [full, 1],
    [logWriter, 2],
    [media, 1],
    [commands, 1],
    [mail, 1],
    // In minutes.
    [soak, 0.1],
  ])('survives $name', (experiment, count) => expectUnhurt(experiment, sqliteBackend, count));

  it('survives power cuts', { timeout: 600_000 }, async ({ skip }) => {
    const { kinds, missing } = await usableDisks();
    skip(kinds.length === 0, `needs root, loop devices and a mkfs: ${missing.join('; ')}`);
    await expectUnhurt(power, sqliteBackend, 1);
  });
});
