import { systemActor } from '../../core/domain/audit/audit-log.ts';
import { type NotifyStores, notifyMembers, type PostDeps } from '../../core/domain/mail/post-mail.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import type { Listed, ServerLister, StoredTools } from '../../core/domain/tools/served.ts';
import { jobMover } from '../../core/domain/versions/changes.ts';
import type { VersionRecord } from '../../core/domain/versions/version-record.ts';
import { runBeside } from '../../platform/run-beside.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import { pauseAfter, stateAfter, widens } from './check-server.ts';
import { reviewerTokenFor } from './reviewer-account.ts';
import type { CheckState, DueCheck, ServerCheck, ToolStore } from './tool-store.ts';

/** How often servers were listed, by outcome. */
export type ServerCheckCounts = Record<Listed['is'], number>;

/** Checks that run at once; of one publisher; and of servers that did not answer last time, each of which takes as long as it may. */
const AT_ONCE = 8;
const OF_PUBLISHER = 2;
const FAILING = 2;

/** When another process may do a claimed check that was not finished, in milliseconds. */
const CLAIM_MS = 3_600_000;

/** The publisher is notified of a change at most this often, in milliseconds: a server may change back and forth. */
const NOTIFY_MS = 7 * 24 * 3_600_000;

/** The name under which the store suspends an app whose server changed. */
const PROBER = 'store';
/** The reason of such a suspension, by which its end is recognised. */
export const DRIFT_REASON = 'flagged:tools.drift';

type ProbeStores = NotifyStores & Pick<Parts, 'versions' | 'apps' | 'audit'> & { tools: ToolStore };

export type ProbeDeps = PostDeps &
  Pick<Parts, 'signingKey'> & {
    tools: ToolStore;
    unitOfWork: UnitOfWork<ProbeStores>;
    versions: ProbeStores['versions'];
    serverLister: ServerLister;
    serverChecks: ServerCheckCounts;
    policy: { toolDrift: 'report' | 'suspend' };
  };

/** The published version of an app, and the upload after it that is in review: the servers to list. */
async function subjectsOf(deps: ProbeDeps, appId: string): Promise<VersionRecord[]> {
  const listed = await deps.versions.latestPublished(appId);
  const newest = await deps.versions.newestUpload(appId);
  const refs = [...new Set([listed, newest])].filter((version) => version !== null);
  const found = await Promise.all(refs.map((version) => deps.versions.find({ appId, version })));
  return found.filter(
    (record) => record !== null && ['published', 'in_review', 'approved'].includes(record.state),
  ) as VersionRecord[];
}

const isNotifiedLately = ({ notifiedAt }: CheckState, now: Date): boolean =>
  notifiedAt !== undefined &&
  Date.parse(notifiedAt) > now.getTime() - NOTIFY_MS &&
  notifiedAt <= now.toISOString();

/** Notifies the publisher of a change that waits for a decision, and suspends the app where the policy says so. */
async function report(
  deps: ProbeDeps,
  stores: ProbeStores,
  record: VersionRecord,
  state: CheckState,
): Promise<CheckState> {
  const { appId, version, publisher } = record;
  const now = deps.clock();
  const at = now.toISOString();
  const isNew = state.driftSince === state.checkedAt;
  const actor = systemActor(PROBER);
  if (isNew) await stores.audit.add(actor, at, { action: 'server.drift', appId, version, publisher });
  const app = isNew && deps.policy.toolDrift === 'suspend' ? await stores.apps.find(appId) : null;
  if (app && !app.suspended) {
    await stores.apps.suspend(appId, { reason: DRIFT_REASON, by: actor.name, at }, jobMover('store', at));
    await stores.audit.add(actor, at, {
      action: 'app.suspend',
      appId,
      publisher,
      detail: { reason: DRIFT_REASON },
    });
  }
  if (isNotifiedLately(state, now)) return state;
  const tools = [...new Set((state.drift ?? []).filter(({ widens }) => widens).map(({ tool }) => tool))];
  const detail = { publisher, appId, version, tools: tools.slice(0, 20), suspended: app !== null };
  await notifyMembers(deps, stores, publisher, { kind: 'tools-drift', detail });
  return { ...state, notifiedAt: at };
}

/**
 * The record with which the server of a version is compared. Where the version has none, what the server lists becomes it, unless that
 * is wider than what a moderator saw of an earlier version: then a person decides.
 */
async function recordTools(
  deps: ProbeDeps,
  record: VersionRecord,
  listed: Listed,
): Promise<StoredTools | null> {
  const own = await deps.tools.record(record);
  if (own || listed.is !== 'listed') return own;
  const seen = record.state === 'published' ? await deps.tools.lastReviewed(record.appId) : null;
  if (seen && widens(seen.tools, listed.tools, record.manifest)) return seen;
  const recordedAt = deps.clock().toISOString();
  const reviewed = seen?.reviewedAt !== undefined && { reviewedAt: seen.reviewedAt };
  const first: StoredTools = { source: 'store', recordedAt, tools: listed.tools, ...reviewed };
  await deps.tools.addRecord(record, first, jobMover('store', recordedAt));
  return deps.tools.record(record);
}

/** Checks the servers of one app, whose check this process has claimed. */
async function checkApp(
  deps: ProbeDeps,
  check: ServerCheck,
  until: string,
  signal?: AbortSignal,
): Promise<void> {
  const { appId } = check;
  let { state } = check;
  let pause = 0;
  for (const record of await subjectsOf(deps, appId)) {
    const token = await reviewerTokenFor(deps, record);
    const listed = await deps.serverLister.list(record.manifest, { token, signal });
    deps.serverChecks[listed.is] += 1;
    pause = Math.max(pause, pauseAfter(listed));
    const recorded = await recordTools(deps, record, listed);
    if (record.state !== 'published') continue;
    const at = deps.clock().toISOString();
    const { version, manifest } = record;
    const checked = { version, manifest, record: recorded, at };
    state = stateAfter(state, checked, listed, deps.policy.toolDrift === 'suspend');
    if (state.driftSince !== undefined)
      state = await deps.unitOfWork((stores) => report(deps, stores, record, state));
  }
  const nextAt = new Date(
    deps.clock().getTime() + (pause || pauseAfter({ is: 'needs-sign-in' })),
  ).toISOString();
  await deps.tools.finishCheck({ appId, nextAt, state }, until);
}

const isFailing = ({ state }: ServerCheck): boolean => state.outcome === 'not-answering';

/** What may run beside the checks under way: no publisher, and no number of servers that do not answer, holds up the others. */
function busyBeside(running: readonly DueCheck[]) {
  const counts = Map.groupBy(running, ({ publisher }) => publisher);
  return {
    publishers: [...counts].filter(([, own]) => own.length >= OF_PUBLISHER).map(([publisher]) => publisher),
    failing: running.filter(isFailing).length >= FAILING,
  };
}

/**
 * Lists the servers of all apps whose check is due, a few at a time: at most daily per app. A process claims each check first, so that
 * only one process does it; a check that a process does not finish is done again when its claim ends.
 * @param signal stops after the checks under way
 */
export const probeServers = (deps: ProbeDeps, signal?: AbortSignal): Promise<void> =>
  runBeside<DueCheck>({
    ...{ atOnce: AT_ONCE, signal },
    next: async (running) =>
      (await deps.tools.dueChecks(deps.clock().toISOString(), 1, busyBeside(running)))[0],
    async work(check) {
      const until = new Date(deps.clock().getTime() + CLAIM_MS).toISOString();
      try {
        if (await deps.tools.claimCheck(check, until)) await checkApp(deps, check, until, signal);
      } catch (error) {
        if (!signal?.aborted)
          deps.log.error({ err: error, appId: check.appId }, 'The check of a server failed.');
      }
    },
  });
