import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { guarded } from '@svc/contracts/guarded';
import { createUnitOfWork } from '../../../adapters/database/stores.ts';
import { openDatabase, openKeys, type System } from '../../open-data.ts';
import { readSetting, SettingError, type Settings } from '../../settings.ts';
import { inOneLine } from '../backup/folder-store.ts';
import type { Command, CommandArgs } from '../command.ts';
import { bucketTarget, folderTarget, type MirrorTarget } from './mirror-target.ts';
import { createStoreAnswers } from './read-store.ts';
import { createMirrorWriter, type MirrorReport } from './write-mirror.ts';

/** Seconds between two runs: the shortest, and the longest that leaves a margin before clients take a mirror as stale. */
const [MIN_EVERY, MAX_EVERY] = [10, 3_600];

function targetOf(to: unknown, { accessKeyId, secretAccessKey }: Settings): MirrorTarget {
  if (typeof to !== 'string' || to === '')
    throw new SettingError(
      'Name the folder or the bucket of the mirror: --to DIR, or --to s3://bucket/prefix.',
    );
  if (!to.startsWith('s3:')) return folderTarget(path.resolve(to));
  if (accessKeyId === null || secretAccessKey === null)
    throw new SettingError('A mirror in a bucket needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.');
  return bucketTarget({ ...readSetting('bucket', to), accessKeyId, secretAccessKey });
}

function secondsOf(every: unknown): number | null {
  if (every === undefined) return null;
  const seconds = /^\d{1,4}$/.test(String(every)) ? Number(every) : 0;
  if (seconds >= MIN_EVERY && seconds <= MAX_EVERY) return seconds;
  throw new SettingError(`--every takes a number of seconds, from ${MIN_EVERY} to ${MAX_EVERY}.`);
}

/** The signing key of the store, with its chain. */
async function keysOf(settings: Settings, { newId, log }: System) {
  const db = await openDatabase(settings, log);
  try {
    return await openKeys({ unitOfWork: createUnitOfWork(db), newId }, settings.signingKeyFile);
  } finally {
    await db.destroy();
  }
}

const lineOf = ({ apps, written, bytes, removed }: MirrorReport): string =>
  `The mirror has ${apps} apps. Written: ${written} files, ${bytes} bytes. Removed: ${removed} files.`;

async function openWriter({ options }: CommandArgs, settings: Settings, system: System) {
  const target = targetOf(options.to, settings);
  const from = typeof options.from === 'string' ? options.from.replace(/\/$/, '') : settings.baseUrl;
  const { storeFetch } = await import('@svc/runtime/store-client');
  return createMirrorWriter({
    answers: createStoreAnswers({ fetch: storeFetch, from, sleep: (ms) => sleep(ms) }),
    target,
    store: settings.baseUrl,
    keys: await keysOf(settings, system),
    now: () => system.clock().getTime(),
    log: system.log,
  });
}

/** `svc-store mirror` */
export const mirrorCommand: Command = {
  name: 'mirror',
  operands: [],
  options: { to: { type: 'string' }, every: { type: 'string' }, from: { type: 'string' } },
  summary:
    'write what clients read of the running store to --to, as plain files behind any web server; with --every SECONDS again and again; --from is the address at which the store answers here',
  async run(args, settings, system) {
    const every = secondsOf(args.options.every);
    const writer = await openWriter(args, settings, system);
    if (every === null) return lineOf(await inOneLine('The mirror was not written', () => writer.run()));
    const stopping = new AbortController();
    const stop = guarded(() => stopping.abort());
    process.once('SIGTERM', stop);
    process.once('SIGINT', stop);
    while (!stopping.signal.aborted) {
      await writer.run().then(
        (report) => system.log.info(report, 'The mirror is up to date.'),
        (err: unknown) => system.log.error({ err }, 'The mirror was not written, and stays as it was.'),
      );
      await sleep(every * 1_000, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
    return 'The mirror is no longer written: clients use it for three more hours.';
  },
};
