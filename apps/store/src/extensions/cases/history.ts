import {
  type AuditEntry,
  DecidedKind,
  decisionsAbout,
  type HistoryEntry,
  type HistoryPage,
  type HistoryQuery,
  kindOfDecision,
} from '@svc/contracts';
import { z } from 'zod';
import type { Caller } from '../../core/domain/identity/caller.ts';
import { namesOnRecord } from '../../core/domain/identity/names-on-record.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { pageOf } from '../../platform/page-of.ts';

export type HistoryDeps = Pick<Parts, 'audit' | 'people' | 'publishers' | 'apps'>;

/** Opaque to clients: the id of the last entry of a page. */
const Cursor = z.tuple([z.int().positive()]);

/** The note or reason of a decision. */
const noteOf = ({ detail: { note, reason } }: AuditEntry): string | null =>
  [note, reason].find((text) => typeof text === 'string' && text !== '')?.toString() ?? null;

/** Leaves out decisions on reports about the caller's own publishers: their members must not find out about reports. */
async function withoutOwnReports(
  { apps }: Pick<HistoryDeps, 'apps'>,
  caller: Caller,
  entries: readonly AuditEntry[],
): Promise<AuditEntry[]> {
  if (caller.kind === 'automation' || caller.memberships.size === 0) return [...entries];
  const isOwn = async ({ action, appId }: AuditEntry) =>
    kindOfDecision(action) === 'report' &&
    caller.memberships.has((await apps.find(appId ?? ''))?.publisher ?? '');
  const own = await Promise.all(entries.map(isOwn));
  return entries.filter((_, n) => !own[n]);
}

/**
 * Reads one page of the decisions of moderators and administrators, the newest first: from the audit log, without addresses and tokens.
 * @throws ApiError invalid_request for an invalid cursor
 */
export async function caseHistory(
  deps: HistoryDeps,
  caller: Caller,
  { kind, by, ...page }: HistoryQuery,
): Promise<HistoryPage> {
  const action = (kind === undefined ? DecidedKind.options : [kind]).flatMap(decisionsAbout);
  const { items, nextCursor } = await pageOf(
    page,
    Cursor,
    (after) =>
      deps.audit.find({
        ...{ action, direction: 'desc', limit: page.limit, after: after?.[0] ?? null },
        ...(by && { actor: caller.name }),
      }),
    ({ id }) => [id],
  );
  const shown = await withoutOwnReports(deps, caller, items);
  const names = await namesOnRecord(
    deps,
    shown.map(({ actor }) => actor),
  );
  const entries = shown.flatMap((entry): HistoryEntry[] => {
    const { id, at, actor, appId, version, publisher } = entry;
    const decided = kindOfDecision(entry.action);
    if (!decided) return [];
    const name = names[actor] ?? null;
    return [
      {
        id,
        at,
        kind: decided,
        action: entry.action,
        by: actor,
        name,
        appId,
        version,
        publisher,
        note: noteOf(entry),
      },
    ];
  });
  return { entries, nextCursor };
}
