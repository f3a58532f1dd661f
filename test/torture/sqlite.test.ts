import { DEEP } from '@svc/testkit';
import { describe, it } from 'vitest';
import { usableDisks } from '../../scripts/torture/disk.ts';
import { clocks } from '../../scripts/torture/experiments/clocks.ts';
import { commands } from '../../scripts/torture/experiments/commands.ts';
import { decisions } from '../../scripts/torture/experiments/decisions.ts';
import { descriptors } from '../../scripts/torture/experiments/descriptors.ts';
import { faults } from '../../scripts/torture/experiments/faults.ts';
import { files } from '../../scripts/torture/experiments/files.ts';
import { flips } from '../../scripts/torture/experiments/flips.ts';
import { full } from '../../scripts/torture/experiments/full.ts';
import { kill } from '../../scripts/torture/experiments/kill.ts';
import { logs } from '../../scripts/torture/experiments/logs.ts';
import { mail } from '../../scripts/torture/experiments/mail.ts';
import { media } from '../../scripts/torture/experiments/media.ts';
import { power } from '../../scripts/torture/experiments/power.ts';
import { race } from '../../scripts/torture/experiments/race.ts';
import { randomKill } from '../../scripts/torture/experiments/random-kill.ts';
import { requests } from '../../scripts/torture/experiments/requests.ts';
import { soak } from '../../scripts/torture/experiments/soak.ts';
import { volumes } from '../../scripts/torture/experiments/volumes.ts';
import { sqliteBackend } from '../../scripts/torture/site.ts';
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
