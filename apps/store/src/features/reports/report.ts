import type {
  NewReport,
  Report,
  ReportCategory,
  ReportDecision,
  ReportedVersion,
  ReportedVersions,
} from '@svc/contracts';
import type { Caller } from '../../domain/identity/caller.ts';
import type { Person } from '../../domain/identity/person-store.ts';
import { mailUser } from '../../domain/mail/post-mail.ts';
import type { ChangeParts, Stores } from '../../domain/parts/parts.ts';
import type { VersionRef } from '../../domain/versions/version-record.ts';
import { requireVersion } from '../../domain/versions/version-status.ts';
import { ApiError } from '../../platform/api-error.ts';
import { consume, type Quota, type Rate } from '../../platform/rate.ts';
import type { OpenReport, ReportStore } from './report-store.ts';

/** Each report is work for a moderator. */
const REPORTS: Rate = { what: 'reports', limit: 10, windowMs: 24 * 60 * 60_000 };

type ReportStores = Stores & { reports: ReportStore };

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
async function reportedVersion(stores: ReportStores, appId: string, version: string | undefined) {
  const given = version ?? (await stores.listings.listedVersion(appId))?.version;
  const record = given === undefined ? null : await stores.versions.find({ appId, version: given });
  if (record && (record.state === 'published' || record.state === 'yanked')) return record;
  throw new ApiError('not_found', 'The store has no such app, or never published this version of it.');
}

/**
 * Reports a version of an app, or replaces the open report of the caller about it. However many reports there are, they change nothing by
 * themselves: a moderator decides.
 * @throws ApiError forbidden, not_found, already_handled, rate_limited
 */
export function reportApp(
  deps: ChangeParts<{ reports: ReportStore }>,
  caller: Caller,
  appId: string,
  { category, version, evidence }: NewReport,
): Promise<{ report: Report; quota: Quota }> {
  const { id: personId } = reporterOf(caller);
  return deps.unitOfWork(async (stores) => {
    const { publisher, ...record } = await reportedVersion(stores, appId, version);
    const quota = await consume({ ...deps, ...stores }, REPORTS, `report ${personId}`);
    const at = deps.clock().toISOString();
    const ref = { appId, version: record.version };
    const report = await stores.reports.put({
      ...ref,
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

/** How bad it is for users if a report is right. */
const SEVERITY: Readonly<Record<ReportCategory, number>> = {
  malware: 100,
  impersonation: 40,
  rights: 15,
  excessive: 10,
  broken: 4,
  spam: 2,
};

/** The most that the users behind the reports of a category count, however many accounts they have. */
const MAX_WEIGHT = 3;

/** The share of a user's reports that were right, which begins at a half. */
const weightOf = ({ upheld, dismissed }: OpenReport): number => (1 + upheld) / (2 + upheld + dismissed);

/** Severity by the record of the users by installs. A crowd of new accounts counts little more than a few users. */
function scoreOf(reports: readonly OpenReport[]): number {
  const installs = Math.max(...reports.map((report) => report.installs));
  const byCategory = Map.groupBy(reports, ({ category }) => category);
  const weights = Array.from(byCategory, ([category, all]) => {
    const weight = all.reduce((sum, report) => sum + weightOf(report), 0);
    return SEVERITY[category] * Math.min(weight, MAX_WEIGHT);
  });
  const sum = weights.reduce((a, b) => a + b, 0);
  return Math.round(sum * Math.log10(10 + installs) * 10) / 10;
}

function merge(reports: readonly OpenReport[], names: ReadonlyMap<string, string>): ReportedVersion[] {
  const byVersion = Map.groupBy(reports, ({ appId, version }) => `${appId} ${version}`);
  return Array.from(byVersion.values(), (all): ReportedVersion => {
    const [{ appId, version, publisher, installs, reportedAt: lastAt }] = all as [OpenReport];
    return {
      appId,
      version,
      name: names.get(appId) ?? appId,
      publisher,
      installs,
      score: scoreOf(all),
      firstAt: all.at(-1)?.reportedAt ?? lastAt,
      lastAt,
      reports: all.map(({ id, category, evidence, reportedAt, upheld, dismissed }) => ({
        id,
        category,
        evidence,
        reportedAt,
        record: { upheld, dismissed },
      })),
    };
  });
}

const isOwn = (caller: Caller, publisher: string): boolean =>
  caller.kind !== 'automation' && caller.memberships.has(publisher);

/** The reported versions, the most serious first, without those of the caller's publishers. */
export async function reportedVersions(
  { reports, apps }: Pick<ReportStores, 'reports' | 'apps'>,
  caller: Caller,
): Promise<ReportedVersions> {
  const open = (await reports.open()).filter(({ publisher }) => !isOwn(caller, publisher));
  const names = await apps.namesOf([...new Set(open.map(({ appId }) => appId))]);
  const versions = merge(open, names).sort((a, b) => b.score - a.score || a.firstAt.localeCompare(b.firstAt));
  return { versions };
}

/** Sends a mail to the users who reported a version. */
async function notifyReporters(
  deps: ChangeParts<{ reports: ReportStore }>,
  stores: ReportStores,
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
  deps: ChangeParts<{ reports: ReportStore }>,
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
