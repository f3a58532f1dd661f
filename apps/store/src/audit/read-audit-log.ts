import type { AuditEntry, AuditPage, AuditQuery, Direction } from '@svc/contracts';
import { z } from 'zod';
import type { AuditLog } from '../domain/audit/audit-log.ts';
import { personName, publisherTokenName } from '../domain/identity/caller.ts';
import { type NameStores, namesOnRecord, unique } from '../domain/identity/names-on-record.ts';
import type { AppStore } from '../domain/versions/app-store.ts';
import { readCursor, writeCursor } from '../platform/cursor.ts';

/** Opaque to clients: the direction, and the id of the last entry of a page. */
const cursorOf = (direction: Direction) => z.tuple([z.literal(direction), z.int().positive()]);

const NOT_OURS = {
  message: 'This cursor is not one of ours: start again without it.',
  advice: 'Use nextCursor of a page.',
};

export type AuditDeps = NameStores & { audit: AuditLog; apps: Pick<AppStore, 'namesOf'> };

/** What those are called who did something, or to whom it was done: people, publishers and apps. */
async function namesIn(
  { apps, ...stores }: AuditDeps,
  entries: readonly AuditEntry[],
): Promise<Record<string, string>> {
  const texts = entries.flatMap(({ actor, publisher, detail: { from, to, person } }) => [
    ...[actor, from, to].filter((text) => typeof text === 'string'),
    ...(typeof person === 'string' ? [personName(person)] : []),
    ...(publisher === null ? [] : [publisherTokenName(publisher)]),
  ]);
  const [named, ofApps] = await Promise.all([
    namesOnRecord(stores, texts),
    apps.namesOf(unique(entries.map(({ appId }) => appId))),
  ]);
  return { ...named, ...Object.fromEntries(Array.from(ofApps, ([appId, name]) => [`app:${appId}`, name])) };
}

/**
 * One page of what was done. What is done meanwhile moves no page: each begins where the one before ended.
 * @throws ApiError invalid_request for a cursor that no page gave
 */
export async function readAuditLog(deps: AuditDeps, { cursor, ...search }: AuditQuery): Promise<AuditPage> {
  const { direction } = search;
  const after = cursor === undefined ? null : readCursor(cursorOf(direction), cursor, NOT_OURS)[1];
  const found = await deps.audit.find({ ...search, after });
  const entries = found.slice(0, search.limit);
  const last = entries.at(-1);
  const names = await namesIn(deps, entries);
  return {
    entries,
    names,
    nextCursor: found.length > entries.length && last ? writeCursor([direction, last.id]) : null,
  };
}
