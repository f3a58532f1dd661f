import { servedToolsOf, type ToolRecord } from '@svc/contracts';
import { signToolRecord } from '@svc/signing';
import type { AuditLog } from '../../domain/audit/audit-log.ts';
import { type Caller, requireApp, requireMember, requireScope } from '../../domain/identity/caller.ts';
import { requireUnsuspended, type SuspensionStores } from '../../domain/identity/suspension.ts';
import type { Parts } from '../../domain/parts/parts.ts';
import type { StoredTools, ToolStore } from '../../domain/tools/tool-store.ts';
import type { VersionRef } from '../../domain/versions/version-record.ts';
import { requireVersion } from '../../domain/versions/version-status.ts';
import type { VersionStore } from '../../domain/versions/version-store.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { UnitOfWork } from '../../platform/system.ts';

export type RecordDeps = Pick<Parts, 'versions' | 'listings' | 'tools' | 'signingKey' | 'clock'> & {
  unitOfWork: UnitOfWork<SuspensionStores & { versions: VersionStore; tools: ToolStore; audit: AuditLog }>;
};

const signed = (
  { signingKey }: Pick<RecordDeps, 'signingKey'>,
  { appId, version }: VersionRef,
  stored: StoredTools,
): ToolRecord => signToolRecord({ appId, version, ...stored }, signingKey);

/** The states of a version whose server its publisher may still describe. */
const OPEN = ['submitted', 'checking', 'in_review', 'approved', 'published'];

/**
 * Records the tools that the server of a version has, as its publisher listed them. The first record of a version stays: the store lists
 * servers that need no sign-in itself, and compares.
 * @throws ApiError not_found, not_a_member, already_handled, app_suspended, publisher_suspended
 */
export async function recordTools(
  deps: RecordDeps,
  caller: Caller,
  ref: VersionRef,
  listed: readonly unknown[],
): Promise<ToolRecord> {
  const at = deps.clock().toISOString();
  const { tools, dropped } = servedToolsOf(listed);
  return deps.unitOfWork(async (stores) => {
    const { publisher, state } = await requireVersion(stores.versions, ref);
    requireMember(caller, publisher);
    requireApp(caller, ref.appId);
    requireScope(caller, 'publish:new', 'publish:update');
    await requireUnsuspended(stores, 'recordTools', { publisher, appId: ref.appId });
    const stored: StoredTools = { source: 'publisher', recordedAt: at, tools };
    if (!OPEN.includes(state) || !(await stores.tools.addRecord(ref, stored)))
      throw new ApiError(
        'already_handled',
        'The tools of this version are recorded already, or it is not open.',
      );
    const detail = { tools: tools.length, dropped };
    await stores.audit.add(caller, at, { action: 'version.tools', ...ref, publisher, detail });
    return signed(deps, ref, stored);
  });
}

/**
 * The signed record of the tools of a published version.
 * @throws ApiError not_found when it is not published, or its tools have not been listed
 */
export async function toolRecordOf(deps: RecordDeps, ref: VersionRef): Promise<ToolRecord> {
  // An app that is suspended is not listed, and its versions are not public.
  const [record, app] = await Promise.all([
    requireVersion(deps.versions, ref),
    deps.listings.find(ref.appId),
  ]);
  const stored = app !== null && record.state === 'published' ? await deps.tools.record(ref) : null;
  if (!stored) throw new ApiError('not_found', `No tools are recorded for ${ref.appId} ${ref.version}.`);
  return signed(deps, ref, stored);
}
