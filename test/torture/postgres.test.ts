import { DEEP, type S3Server } from '@svc/testkit';
import { afterAll, beforeAll, describe, inject, it } from 'vitest';
import { makeBucket } from '../../tools/torture/backends.ts';
import { away } from '../../tools/torture/experiments/away.ts';
import { decisions } from '../../tools/torture/experiments/decisions.ts';
import { failover } from '../../tools/torture/experiments/failover.ts';
import { faults } from '../../tools/torture/experiments/faults.ts';
import { full } from '../../tools/torture/experiments/full.ts';
import { kill } from '../../tools/torture/experiments/kill.ts';
import { logWriter } from '../../tools/torture/experiments/log-writer.ts';
import { mail } from '../../tools/torture/experiments/mail.ts';
import { outages } from '../../tools/torture/experiments/outages.ts';
import { race } from '../../tools/torture/experiments/race.ts';
import { randomKill } from '../../tools/torture/experiments/random-kill.ts';
import { requests } from '../../tools/torture/experiments/requests.ts';
import { startMemoryS3 } from '../../tools/torture/memory-s3.ts';
import { postgresBackend, s3Backend } from '../../tools/torture/site.ts';
import { expectUnhurt } from './share.ts';

let s3: S3Server;

beforeAll(async () => {
  s3 = await startMemoryS3();
  await makeBucket(s3);
});

afterAll(() => s3.stop());

/** The server of the whole test run, which this test must not stop; it only cuts the connection. */
function server(): { url: string } {
  const held = inject('postgres');
  if ('missing' in held) throw new Error(held.missing);
  return held;
}

describe('a store on PostgreSQL and disk', { ...DEEP, timeout: 240_000 }, () => {
  // Each has its own stores and connection, and mostly waits for leases to expire or for an unresponsive server.
  it.concurrent.each([
    [faults, 2],
    [away, 1],
    [mail, 1],
    [full, 1],
    [failover, 1],
    [logWriter, 2],
    [requests, 1_000],
  ])('survives $name', (experiment, count) => expectUnhurt(experiment, postgresBackend(server()), count));
});

describe('stores on PostgreSQL and S3', { ...DEEP, timeout: 240_000 }, () => {
  it.each([
    [race, 3],
    [decisions, 2],
    [logWriter, 2],
  ])('survive $name', (experiment, count) => expectUnhurt(experiment, s3Backend(server(), s3), count));

  it.concurrent.each([
    [randomKill, 1],
    [kill, 1],
    [mail, 1],
    [outages, 5],
  ])('survive $name', (experiment, count) => expectUnhurt(experiment, s3Backend(server(), s3), count));
});
