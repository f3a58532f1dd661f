import type { NewReport, Report, ReportDecision, ReportedVersion, ReportedVersions } from '@svc/contracts';
import type { Taken } from '../../core/domain/decisions/record-decision.ts';
import type { Caller } from '../../core/domain/identity/caller.ts';
import type { Person } from '../../core/domain/identity/person-store.ts';
import { mailUser, type PostDeps } from '../../core/domain/mail/post-mail.ts';
import type { Stores as CoreStores } from '../../core/domain/parts/parts.ts';
import type { VersionRef } from '../../core/domain/versions/version-record.ts';
import { requireVersion } from '../../core/domain/versions/version-status.ts';
import { ApiError } from '../../platform/api-error.ts';
import { networkOf, SITE_BITS, UNKNOWN_NETWORK } from '../../platform/network-of.ts';
import { consume, type Quota, type Rate } from '../../platform/rate.ts';
import type { Mac } from '../../platform/secret.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import { FULL_WEIGHT, type ReportedCategory, type ReportStore, SEVERITY } from './report-store.ts';

/** Each report is work for a moderator. */
const REPORTS: Rate = { what: 'reports', limit: 10, windowMs: 24 * 60 * 60_000 };

/** The stores of a transaction. */
export type Stores = CoreStores & { reports: ReportStore };

type ChangeDeps = PostDeps & { unitOfWork: UnitOfWork<Stores> };

/** `installMac` hashes networks and domains. */
export type ReportDeps = ChangeDeps & { installMac: Mac };

/**
 * The user of a request, in a browser or with a token of theirs.
 * @throws ApiError forbidden for programs that belong to no user
 */
export function reporterOf(caller: Caller): Person {
  const person = caller.kind === 'automation' ? null : caller.person;
  if (person) return person;
  throw new ApiError('forbidden', 'Only users report apps: sign in, or use a token of your own.');
}

/** The reported version: the given one, if it was published, else the listed one. */
async function reportedVersion(stores: Stores, appId: string, version: string | undefined) {
  const given = version ?? (await stores.listings.listedVersion(appId))?.version;
  const record = given === undefined ? null : await stores.versions.find({ appId, version: given });
  if (record && (record.state === 'published' || record.state === 'yanked')) return record;
  throw new ApiError('not_found', 'The store has no such app, or never published this version of it.');
}

const DAY_MS = 24 * 60 * 60_000;

/** How far an account of an age is trusted, in days: one that was made for a report counts little. */
const TRUST: readonly (readonly [days: number, share: number])[] = [
  [30, 1],
  [7, 0.75],
  [1, 0.5],
  [0, 0.25],
];

/** What a report of a user counts for: by the age of the account, and the share of their reports that were right, which begins at a half. */
async function weightOf({ reports }: Stores, { id, createdAt }: Person, now: Date): Promise<number> {
  const { upheld, dismissed } = await reports.recordOf(id);
  const days = (now.getTime() - Date.parse(createdAt)) / DAY_MS;
  const [, trust] = TRUST.find(([from]) => days >= from) ?? [0, 0.25];
  return Math.round((FULL_WEIGHT * trust * (1 + upheld)) / (2 + upheld + dismissed));
}

/** What many accounts of one user have in common: the domain of their address, and their network. Only hashes are stored. */
function originOf({ id, email }: Person, address: string | null, mac: Mac) {
  const network = networkOf(address, SITE_BITS);
  return {
    domain: email ? mac(`report domain\n${email.split('@').at(-1)?.toLowerCase()}`) : id,
    network: network === UNKNOWN_NETWORK ? id : mac(`report network\n${network}`),
  };
}

/**
 * Reports a version of an app, or replaces the open report of the caller about it. However many reports there are, they change nothing by
 * themselves: a moderator decides.
 * @throws ApiError forbidden, not_found, already_handled, rate_limited
 */
export function reportApp(
  deps: ReportDeps,
  caller: Caller,
  appId: string,
  { category, version, evidence }: NewReport,
): Promise<{ report: Report; quota: Quota }> {
  const person = reporterOf(caller);
  const { id: personId } = person;
  return deps.unitOfWork(async (stores) => {
    const { publisher, ...record } = await reportedVersion(stores, appId, version);
    const quota = await consume({ ...deps, ...stores }, REPORTS, `report ${personId}`);
    const now = deps.clock();
    const at = now.toISOString();
    const ref = { appId, version: record.version };
    const report = await stores.reports.put({
      ...ref,
      ...originOf(person, caller.from.address, deps.installMac),
      weight: await weightOf(stores, person, now),
      publisher,
      id: deps.newId(),
      personId,
      category,
      evidence,
      at,
    });
    if (!report)
      throw new ApiError(
        'already_handled',
        'A moderator has already decided on your report of this version.',
      );
    // Without the publisher: its members must not find out who reports.
    await stores.audit.add(caller, at, {
      action: 'report.create',
      ...ref,
      detail: { category, report: report.id },
    });
    return { report, quota };
  });
}

/** Severity by the trust in the users who report, by installs. */
function scoreOf(groups: readonly ReportedCategory[]): number {
  const installs = Math.max(...groups.map((group) => group.installs));
  const sum = groups.reduce((points, { category, weight }) => points + SEVERITY[category] * weight, 0);
  return Math.round(sum * Math.log10(10 + installs) * 10) / 10;
}

const earliest = (times: readonly string[]): string => times.reduce((a, b) => (a < b ? a : b));
const latest = (times: readonly string[]): string => times.reduce((a, b) => (a > b ? a : b));

const isOwn = (caller: Caller, publisher: string): boolean =>
  caller.kind !== 'automation' && caller.memberships.has(publisher);

/** Versions that the queue shows: a moderator decides on those first. */
const SHOWN = 100;

/** The reported versions, the most serious first, without those of the caller's publishers. */
export async function reportedVersions(
  { reports, apps }: Pick<Stores, 'reports' | 'apps'>,
  caller: Caller,
): Promise<ReportedVersions> {
  const own = caller.kind === 'automation' ? [] : [...caller.memberships.keys()];
  const byVersion = Map.groupBy(await reports.open(own), ({ appId, version }) => `${appId} ${version}`);
  const shown = [...byVersion.values()]
    .map((groups) => ({
      groups,
      score: scoreOf(groups),
      firstAt: earliest(groups.map((one) => one.firstAt)),
    }))
    .sort((a, b) => b.score - a.score || a.firstAt.localeCompare(b.firstAt))
    .slice(0, SHOWN);
  const names = await apps.namesOf(shown.map(({ groups: [one] }) => (one as ReportedCategory).appId));
  const versions = await Promise.all(
    shown.map(async ({ groups, score, firstAt }): Promise<ReportedVersion> => {
      const { appId, version, publisher, status, installs } = groups[0] as ReportedCategory;
      const read = await reports.read({ appId, version });
      return {
        ...{ appId, version, publisher, status, installs, score, firstAt, name: names.get(appId) ?? appId },
        lastAt: latest(groups.map((one) => one.lastAt)),
        total: groups.reduce((sum, one) => sum + one.reports, 0),
        reports: read.map(({ id, category, evidence, reportedAt, upheld, dismissed }) => ({
          ...{ id, category, evidence, reportedAt },
          record: { upheld, dismissed },
        })),
      };
    }),
  );
  return { versions };
}

/** Sends a mail to the users who reported a version. */
async function notifyReporters(
  deps: PostDeps,
  stores: Stores,
  ids: readonly string[],
  detail: VersionRef & ReportDecision,
): Promise<void> {
  for (const person of await stores.people.findAll(ids))
    await mailUser(deps, stores, person, { kind: 'report-decided', detail });
}

/**
 * Decides on the open reports of a version.
 * @returns how many there were
 * @throws ApiError not_found, already_handled; forbidden for a member of the publisher
 */
export function decideReports(
  deps: ChangeDeps,
  caller: Caller,
  { appId, version }: VersionRef,
  { outcome, note }: ReportDecision,
): Promise<number> {
  return deps.unitOfWork(async (stores) => {
    const ref = { appId, version };
    const { publisher } = await requireVersion(stores.versions, ref);
    if (isOwn(caller, publisher))
      throw new ApiError('forbidden', 'You are a member of the publisher: another moderator decides.');
    const at = deps.clock().toISOString();
    const reporters = await stores.reports.decide(ref, { outcome, note, by: caller.name, at });
    if (reporters.length === 0)
      throw new ApiError(
        'already_handled',
        'This version has no open reports: another moderator may have decided.',
      );
    const detail = { outcome, note, reports: reporters.length };
    await stores.audit.add(caller, at, { action: 'report.decide', ...ref, detail });
    await notifyReporters(deps, stores, reporters, { ...ref, outcome, note });
    return reporters.length;
  });
}

/** Tells the users whose reports were upheld that what was decided on them is undone. Call it in its transaction. */
export async function tellReporters(
  deps: PostDeps,
  stores: Stores,
  { publisher, appId = null, version = null }: Taken,
  reason: string,
): Promise<void> {
  const reported = await stores.reports.upheldBy({ publisher, appId, version });
  const people = await stores.people.findAll([...new Set(reported.map(({ personId }) => personId))]);
  const byId = new Map(people.map((person) => [person.id, person]));
  for (const { personId, ...ref } of reported) {
    const person = byId.get(personId);
    if (person) await mailUser(deps, stores, person, { kind: 'report-undone', detail: { ...ref, reason } });
  }
}
