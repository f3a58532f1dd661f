import type { AuditPage, AuditQuery } from '@svc/contracts';
import { z } from 'zod';
import type { AuditLog } from '../domain/audit/audit-log.ts';
import { readCursor, writeCursor } from '../platform/cursor.ts';

/** Opaque to clients: the id of the last entry of a page. */
const Cursor = z.tuple([z.int().positive()]);

const NOT_OURS = {
  message: 'This cursor is not one of ours: start again without it.',
  advice: 'Use nextCursor of a page.',
};

/**
 * One page of what was done, newest first. What is done meanwhile moves no page: each begins where the one before ended.
 * @throws ApiError invalid_request for a cursor that no page gave
 */
export async function readAuditLog(
  deps: { audit: AuditLog },
  { cursor, ...search }: AuditQuery,
): Promise<AuditPage> {
  const before = cursor === undefined ? null : readCursor(Cursor, cursor, NOT_OURS)[0];
  const found = await deps.audit.find({ ...search, before });
  const entries = found.slice(0, search.limit);
  const last = entries.at(-1);
  return { entries, nextCursor: found.length > entries.length && last ? writeCursor([last.id]) : null };
}
