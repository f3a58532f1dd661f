import type { Experiment } from '../outcome.ts';
import { away } from './away.ts';
import { clocks } from './clocks.ts';
import { commands } from './commands.ts';
import { crowd } from './crowd.ts';
import { decisions } from './decisions.ts';
import { descriptors } from './descriptors.ts';
import { failover } from './failover.ts';
import { faults } from './faults.ts';
import { files } from './files.ts';
import { flips } from './flips.ts';
import { floodExperiment } from './flood.ts';
import { full } from './full.ts';
import { kill } from './kill.ts';
import { logWriter } from './log-writer.ts';
import { logs } from './logs.ts';
import { mail } from './mail.ts';
import { media } from './media.ts';
import { outages } from './outages.ts';
import { power } from './power.ts';
import { race } from './race.ts';
import { randomKill } from './random-kill.ts';
import { requests } from './requests.ts';
import { soak } from './soak.ts';
import { volumes } from './volumes.ts';

/** All experiments, fastest first. */
export const EXPERIMENTS: readonly Experiment[] = [
  flips,
  race,
  decisions,
  floodExperiment,
  descriptors,
  logs,
  files,
  requests,
  clocks,
  volumes,
  full,
  media,
  commands,
  mail,
  logWriter,
  power,
  away,
  outages,
  failover,
  randomKill,
  faults,
  kill,
  soak,
  crowd,
];
