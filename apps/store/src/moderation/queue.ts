import type { ModerationQueue, QueueEntry } from '@svc/contracts';
import { greatestOf } from '../publishing/latest.ts';
import { permissionDiffOf } from '../publishing/version-status.ts';
import type { VersionRecord, VersionStore } from '../publishing/version-store.ts';

const queueEntry = (record: VersionRecord, superseded: boolean): QueueEntry => ({
  appId: record.appId,
  version: record.version,
  name: record.manifest.name,
  publisher: record.publisher,
  submittedAt: record.submittedAt,
  reasons: record.reasons,
  superseded,
  issues: record.issues,
  permissionDiff: permissionDiffOf(record),
  sha256: record.sha256,
  size: record.size,
});

/** The versions that wait for a person: oldest first, those that a newer upload supersedes last. */
export async function reviewQueue(deps: { versions: VersionStore }): Promise<ModerationQueue> {
  const waiting = await deps.versions.inState(['in_review']);
  const newest = new Map<string, string | null>();
  for (const appId of new Set(waiting.map((record) => record.appId))) {
    newest.set(appId, greatestOf(await deps.versions.numbersOf(appId)));
  }
  const entries = waiting.map((record) => queueEntry(record, newest.get(record.appId) !== record.version));
  return {
    entries: [
      ...entries.filter(({ superseded }) => !superseded),
      ...entries.filter(({ superseded }) => superseded),
    ],
    total: entries.length,
  };
}
