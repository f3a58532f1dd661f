import type { AuditEntry, AuditPage, AuditQuery } from '@svc/contracts';
import { z } from 'zod';
import type { AuditLog } from '../domain/audit/audit-log.ts';
import { personName } from '../domain/identity/caller.ts';
import type { PersonStore } from '../domain/identity/person-store.ts';
import { readCursor, writeCursor } from '../platform/cursor.ts';

/** Opaque to clients: the id of the last entry of a page. */
const Cursor = z.tuple([z.int().positive()]);

const NOT_OURS = {
  message: 'This cursor is not one of ours: start again without it.',
  advice: 'Use nextCursor of a page.',
};

export type AuditDeps = { audit: AuditLog; people: Pick<PersonStore, 'findAll'> };

const PERSON = personName('');

/** What the people are called who did something, or to whom it was done. */
async function namesIn(
  { people }: AuditDeps,
  entries: readonly AuditEntry[],
): Promise<Record<string, string>> {
  const acting = entries
    .filter(({ actor }) => actor.startsWith(PERSON))
    .map(({ actor }) => actor.slice(PERSON.length));
  const meant = entries.map(({ detail }) => detail.person).filter((id) => typeof id === 'string');
  const found = await people.findAll([...new Set([...acting, ...meant])]);
  return Object.fromEntries(found.map(({ id, name }) => [personName(id), name]));
}

/**
 * One page of what was done, newest first. What is done meanwhile moves no page: each begins where the one before ended.
 * @throws ApiError invalid_request for a cursor that no page gave
 */
export async function readAuditLog(deps: AuditDeps, { cursor, ...search }: AuditQuery): Promise<AuditPage> {
  const before = cursor === undefined ? null : readCursor(Cursor, cursor, NOT_OURS)[0];
  const found = await deps.audit.find({ ...search, before });
  const entries = found.slice(0, search.limit);
  const last = entries.at(-1);
  const names = await namesIn(deps, entries);
  return {
    entries,
    names,
    nextCursor: found.length > entries.length && last ? writeCursor([last.id]) : null,
  };
}
