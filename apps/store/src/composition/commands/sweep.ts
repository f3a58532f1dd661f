import { createStores, createUnitOfWork } from '../../adapters/database/stores.ts';
import { sweepOrphans } from '../../features/publishing/sweep-orphans.ts';
import { openBlobs, openDatabase, type System } from '../open-store.ts';
import { SettingError, type Settings } from '../settings.ts';
import { inOneLine } from './backup/folder-store.ts';
import type { Command, CommandArgs } from './command.ts';

const MINUTE_MS = 60_000;

/** The grace period before bytes are removed; undefined for the default. */
function graceOf({ options }: CommandArgs): { graceMs?: number } {
  const minutes = options['older-than'];
  if (minutes === undefined) return {};
  if (/^\d{1,6}$/.test(String(minutes))) return { graceMs: Number(minutes) * MINUTE_MS };
  throw new SettingError('--older-than takes a number of minutes.');
}

async function sweep(settings: Settings, system: System, grace: { graceMs?: number }): Promise<number> {
  const db = await openDatabase(settings, system.log);
  try {
    const stores = createStores(db);
    const blobs = await openBlobs(settings, system.newId);
    return await sweepOrphans({ ...system, ...stores, unitOfWork: createUnitOfWork(db), blobs }, grace);
  } finally {
    await db.destroy();
  }
}

/** `svc-store sweep` */
export const sweepCommand: Command = {
  name: 'sweep',
  operands: [],
  options: { 'older-than': { type: 'string' } },
  summary:
    'remove blobs that no version has referred to for a day, or for --older-than minutes, as the store does each hour',
  async run(args, settings, system) {
    const grace = graceOf(args);
    const removed = await inOneLine('Nothing was swept', () => sweep(settings, system, grace));
    return `Removed ${removed} blobs that no version refers to.`;
  },
};
