import { createStores, createUnitOfWork } from '../adapters/database/stores.ts';
import { openBlobs, openDatabase, type System } from '../open-store.ts';
import { sweepOrphans } from '../publishing/sweep-orphans.ts';
import { SettingError, type Settings } from '../settings.ts';
import { inOneLine } from './backup/folder-store.ts';
import type { Command, Given } from './command.ts';

const MINUTE_MS = 60_000;

/** How long bytes are left alone; undefined leaves it to the sweep. */
function graceOf({ options }: Given): { graceMs?: number } {
  const minutes = options['older-than'];
  if (minutes === undefined) return {};
  if (/^\d{1,6}$/.test(String(minutes))) return { graceMs: Number(minutes) * MINUTE_MS };
  throw new SettingError('--older-than takes a number of minutes.');
}

async function sweep(settings: Settings, ambient: System, grace: { graceMs?: number }): Promise<number> {
  const db = await openDatabase(settings, ambient.log);
  try {
    const stores = createStores(db);
    const blobs = await openBlobs(settings, ambient.newId);
    return await sweepOrphans({ ...ambient, ...stores, unitOfWork: createUnitOfWork(db), blobs }, grace);
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
    'remove bytes that no version has spoken of for a day, or for --older-than minutes, as the store does each hour',
  async run(given, settings, ambient) {
    const grace = graceOf(given);
    const removed = await inOneLine('Nothing was swept', () => sweep(settings, ambient, grace));
    return `Removed what no version refers to: ${removed} blobs.`;
  },
};
