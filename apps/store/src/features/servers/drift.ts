import type { ServerDrift, ServerDrifts } from '@svc/contracts';
import { servedToolsOf, type ToolRecord } from '@svc/contracts';
import { signToolRecord } from '@svc/signing';
import type { AuditLog } from '../../domain/audit/audit-log.ts';
import { type Caller, requireApp, requireMember, requireScope } from '../../domain/identity/caller.ts';
import { requireUnsuspended, type SuspensionStores } from '../../domain/identity/suspension.ts';
import type { Parts } from '../../domain/parts/parts.ts';
import type { ServerCheck, StoredTools, ToolStore } from '../../domain/tools/tool-store.ts';
import type { AppStore } from '../../domain/versions/app-store.ts';
import type { VersionRef } from '../../domain/versions/version-record.ts';
import { requireVersion } from '../../domain/versions/version-status.ts';
import type { VersionStore } from '../../domain/versions/version-store.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import { DRIFT_REASON } from './probe-servers.ts';

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

/** Maximum apps on the list of moderators: the longest waiting. */
const LISTED = 100;

export type DriftDeps = Pick<Parts, 'tools' | 'apps' | 'clock'> & {
  unitOfWork: UnitOfWork<{ tools: ToolStore; apps: AppStore; audit: AuditLog }>;
};

async function presentDrift(
  { apps }: Pick<DriftDeps, 'apps'>,
  { appId, state }: ServerCheck,
): Promise<Omit<ServerDrift, 'name'>[]> {
  const app = await apps.find(appId);
  const { version, checkedAt, driftSince, drift = [] } = state;
  if (!app || version === undefined || checkedAt === undefined || driftSince === undefined) return [];
  const { publisher, suspended } = app;
  return [
    {
      appId,
      version,
      publisher,
      suspended,
      reasons: [DRIFT_REASON],
      since: driftSince,
      checkedAt,
      drift: drift as ServerDrift['drift'],
    },
  ];
}

/** The apps whose servers list other tools than those that were reviewed, so that a person must decide. */
export async function openDrifts(deps: DriftDeps): Promise<ServerDrifts> {
  const checks = await deps.tools.withDrift(LISTED);
  const names = await deps.apps.namesOf(checks.map(({ appId }) => appId));
  const entries = (await Promise.all(checks.map((check) => presentDrift(deps, check)))).flat();
  return { entries: entries.map((entry) => ({ ...entry, name: names.get(entry.appId) ?? entry.appId })) };
}

/**
 * Accepts what the server of an app lists now: it becomes the record of the version, with which clients and later checks compare. Ends the
 * suspension that the prober began. To refuse it, yank the version or suspend the app.
 * @throws ApiError not_found, already_handled when nothing waits for a decision, or another list than the one that was read
 */
export async function acceptDrift(
  deps: DriftDeps,
  moderator: Caller,
  appId: string,
  { checkedAt, note }: { checkedAt: string; note?: string | undefined },
): Promise<ServerDrifts> {
  const at = deps.clock().toISOString();
  await deps.unitOfWork(async ({ tools, apps, audit }) => {
    const app = await apps.find(appId);
    const check = await tools.check(appId);
    if (!app) throw new ApiError('not_found', `There is no app ${appId}.`);
    const {
      version,
      served,
      driftSince: _since,
      drift: _drift,
      served: _served,
      ...rest
    } = check?.state ?? {};
    if (!check || version === undefined || !served || check.state.checkedAt !== checkedAt)
      throw new ApiError(
        'already_handled',
        'The server was checked again, or nothing waits: read the list again.',
      );
    await tools.replaceRecord({ appId, version }, { source: 'store', recordedAt: at, tools: served });
    const state = { ...rest, version, drift: [], asPublished: rest.declared ?? 0 };
    await tools.finishCheck({ ...check, state }, check.nextAt);
    const { publisher, suspension } = app;
    const detail = note === undefined ? {} : { note };
    await audit.add(moderator, at, { action: 'server.accept', appId, version, publisher, detail });
    if (suspension?.reason !== DRIFT_REASON) return;
    await apps.suspend(appId, null);
    await audit.add(moderator, at, { action: 'app.unsuspend', appId, publisher });
  });
  return openDrifts(deps);
}
