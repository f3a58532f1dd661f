import type { LogEntry } from '@svc/contracts';
import { reasonHashOf } from '@svc/log';
import type { Parts, Stores } from '../../core/domain/parts/parts.ts';
import { appendToLog } from '../../core/domain/trust/trust-log.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import type { LogStore } from './log-store.ts';

export type BeginDeps = Pick<Parts, 'clock'> & {
  unitOfWork: UnitOfWork<Stores & { logs: LogStore }>;
};

type Unlogged = Awaited<ReturnType<LogStore['unlogged']>>[number];

/** The entries of a version from before the log. Who decided then is not in them. */
async function entriesOf(logs: LogStore, version: Unlogged): Promise<LogEntry[]> {
  const published = await logs.entryOfPublished(version);
  if (version.state !== 'yanked') return [published];
  const at = (await logs.yankedAt(version)) ?? version.publishedAt ?? '';
  const { appId, version: number, notes } = version;
  const reasonSha256 = reasonHashOf(notes);
  return [published, { kind: 'yanked', appId, version: number, at, reasonSha256, by: [] }];
}

/**
 * Adds what was published and verified before the store had a log, some at a time. It is repeated after a stop, and adds nothing twice.
 */
export async function beginLog({ unitOfWork, clock }: BeginDeps): Promise<void> {
  for (;;) {
    const added = await unitOfWork(async ({ db, logs }) => {
      const versions = await logs.unlogged();
      const entries: LogEntry[] = [];
      for (const version of versions) entries.push(...(await entriesOf(logs, version)));
      await appendToLog(db, entries);
      if (versions.length > 0) return versions.length;
      await logs.logVerified();
      await logs.begun(clock().toISOString());
      return 0;
    });
    if (added === 0) return;
  }
}
