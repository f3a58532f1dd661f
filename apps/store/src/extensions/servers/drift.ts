import type { KeptTools, ServerDrift, ServerDrifts } from '@svc/contracts';
import { servedToolsOf, type ToolRecord } from '@svc/contracts';
import { toolsHashOf } from '@svc/log';
import { signToolRecord } from '@svc/signing';
import type { IndependencePolicy } from '../../core/domain/decisions/independent.ts';
import { decideByTwo, type TwoPersonsPolicy } from '../../core/domain/decisions/two-persons.ts';
import type { Caller } from '../../core/domain/identity/caller.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import type { StoredTools } from '../../core/domain/tools/served.ts';
import { firstOfTwo, requireChange } from '../../core/domain/versions/changes.ts';
import type { VersionRef } from '../../core/domain/versions/version-record.ts';
import { requireVersion } from '../../core/domain/versions/version-status.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import { DRIFT_REASON } from './probe-servers.ts';
import type { ServerCheck, ToolStore } from './tool-store.ts';

export type RecordDeps = Pick<Parts, 'versions' | 'listings' | 'signingKey' | 'clock'> & {
  tools: ToolStore;
  unitOfWork: UnitOfWork<
    Pick<Parts, 'versions' | 'apps' | 'audit' | 'people' | 'publishers'> & { tools: ToolStore }
  >;
  policy: { confirmUploads: 'asked' | 'always' };
};

/**
 * Keeps the tools that the server of a version in review has, as its publisher listed them, for the moderator who decides: with the rules
 * of an upload. A member of the publisher who has confirmed the version has confirmed it as it was then. The first record of a version
 * stays: the store lists servers that need no sign-in itself, and compares.
 * @throws ApiError not_found, not_a_member, forbidden, already_handled, app_suspended, publisher_suspended
 */
export async function recordTools(
  deps: RecordDeps,
  caller: Caller,
  ref: VersionRef,
  listed: readonly unknown[],
): Promise<KeptTools> {
  const at = deps.clock().toISOString();
  const { tools, dropped } = servedToolsOf(listed);
  return deps.unitOfWork(async (stores) => {
    const { publisher, state, awaitsConfirmation } = await requireVersion(stores.versions, ref);
    const mover = await requireChange(stores, 'recordTools', caller, { publisher, appId: ref.appId }, at);
    const mustWait =
      deps.policy.confirmUploads === 'always' || (await stores.apps.find(ref.appId))?.confirmUploads === true;
    const isOpen = state === 'in_review' && (awaitsConfirmation === true || !mustWait);
    const stored: StoredTools = { source: 'publisher', recordedAt: at, tools };
    if (!isOpen || !(await stores.tools.addRecord(ref, stored, mover)))
      throw new ApiError(
        'already_handled',
        'The tools of this version are recorded already, or it does not wait for a decision: publish a new version.',
      );
    const detail = { tools: tools.length, dropped };
    await stores.audit.add(caller, at, { action: 'version.tools', ...ref, publisher, detail });
    return { ...ref, ...stored };
  });
}

/**
 * The signed record of the tools of a published version.
 * @param withReview whether it says when a moderator saw them
 * @throws ApiError not_found when it is not published, or its tools have not been listed
 */
export async function toolRecordOf(
  { signingKey, ...deps }: RecordDeps,
  { appId, version }: VersionRef,
  withReview: boolean,
): Promise<ToolRecord> {
  // An app that is suspended is not listed, and its versions are not public.
  const [record, app] = await Promise.all([
    requireVersion(deps.versions, { appId, version }),
    deps.listings.find(appId),
  ]);
  const stored = app !== null && record.state === 'published' ? await deps.tools.record(record) : null;
  if (!stored) throw new ApiError('not_found', `No tools are recorded for ${appId} ${version}.`);
  const { reviewedAt, ...plain } = stored;
  const reviewed = withReview && reviewedAt !== undefined && { reviewedAt };
  return signToolRecord({ appId, version, ...plain, ...reviewed }, signingKey);
}

/** Maximum apps on the list of moderators: the longest waiting. */
const LISTED = 100;

export type DriftDeps = Pick<Parts, 'apps' | 'clock'> & {
  tools: ToolStore;
  unitOfWork: UnitOfWork<
    Pick<Parts, 'apps' | 'audit' | 'versions' | 'members' | 'people' | 'publishers'> & { tools: ToolStore }
  >;
  policy: IndependencePolicy & TwoPersonsPolicy;
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

async function requireApp(apps: Pick<Parts['apps'], 'find'>, appId: string) {
  const app = await apps.find(appId);
  if (app) return app;
  throw new ApiError('not_found', `There is no app ${appId}.`);
}

/**
 * Accepts what the server of an app lists now, as one moderator or the second of two: it becomes the record of the version, with which clients and later checks compare. It counts
 * as seen if what it differs from was. Ends the suspension that the prober began. To refuse it, yank the version or suspend the app.
 * @throws ApiError not_found, forbidden for a moderator who is not independent, already_handled when nothing waits for a decision, or another list than the one that was read
 */
export async function acceptDrift(
  deps: DriftDeps,
  moderator: Caller,
  appId: string,
  { checkedAt, note }: { checkedAt: string; note?: string | undefined },
): Promise<ServerDrifts> {
  const at = deps.clock().toISOString();
  await deps.unitOfWork(async (stores) => {
    const { tools, apps, audit } = stores;
    const app = await requireApp(apps, appId);
    const check = await tools.check(appId);
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
    const allowed = await requireChange(stores, 'acceptDrift', moderator, app, at);
    const ref = { appId, version };
    const record = await requireVersion(stores.versions, ref);
    const two = { act: 'tools', of: toolsHashOf(served), note: note ?? '' } as const;
    const mover = await decideByTwo(deps, stores, moderator, record, allowed, two);
    if (!mover) return;
    await stores.versions.clearFirst(ref, mover);
    const before = (await tools.record(ref)) ?? (await tools.lastReviewed(appId));
    const reviewed = before?.reviewedAt !== undefined && { reviewedAt: at };
    await tools.replaceRecord(ref, { source: 'store', recordedAt: at, tools: served, ...reviewed }, mover);
    const state = { ...rest, version, drift: [], asPublished: rest.declared ?? 0 };
    await tools.finishCheck({ ...check, state }, check.nextAt);
    const { publisher, suspension } = app;
    const detail = { ...(note !== undefined && { note }), ...firstOfTwo(mover) };
    await audit.add(moderator, at, { action: 'server.accept', appId, version, publisher, detail });
    if (suspension?.reason !== DRIFT_REASON) return;
    await apps.suspend(appId, null, mover);
    await audit.add(moderator, at, { action: 'app.unsuspend', appId, publisher });
  });
  return openDrifts(deps);
}
