import { z } from 'zod';
import { named } from '../named.ts';
import { AppVersion, Note, PublisherSlug, Timestamp } from './common.ts';
import { VersionState } from './versions.ts';

/** Why users report apps. */
export const REPORT_CATEGORIES = [
  'malware',
  'impersonation',
  'rights',
  'excessive',
  'broken',
  'spam',
] as const;
const ReportCategory = z
  .enum(REPORT_CATEGORIES)
  .describe(
    'Malware; impersonation of another company; a violation of rights; asks for more than it needs; does not work; spam.',
  );
export type ReportCategory = z.infer<typeof ReportCategory>;

const MIN_EVIDENCE = 10;

/** Request body that reports an app. */
export const NewReport = named.strictObject('NewReport', {
  category: ReportCategory,
  version: AppVersion.max(100).optional().describe('The version; the listed one by default.'),
  evidence: Note.min(MIN_EVIDENCE).describe('What happened, and how a moderator can see it.'),
});
export type NewReport = z.infer<typeof NewReport>;

/** The outcomes of a report: moderators found it right, or not. */
export const REPORT_OUTCOMES = ['upheld', 'dismissed'] as const;
const ReportOutcome = z.enum(REPORT_OUTCOMES);
export type ReportOutcome = z.infer<typeof ReportOutcome>;

/** A report, for the user who sent it. */
export const Report = named.object('Report', {
  id: z.string(),
  appId: z.string(),
  version: z.string(),
  category: ReportCategory,
  evidence: z.string(),
  state: z.enum(['open', ...REPORT_OUTCOMES]),
  note: z.string().nullable().describe('The note of the moderator; null while it is open.'),
  reportedAt: Timestamp,
  decidedAt: Timestamp.nullable(),
});
export type Report = z.infer<typeof Report>;

/** The last reports of a user, newest first. */
export const MyReports = named.object('MyReports', { reports: z.array(Report) });
export type MyReports = z.infer<typeof MyReports>;

/** The open reports of a version, for moderators. It does not say who sent them: a moderator may know the publisher. */
export const ReportedVersion = named.object('ReportedVersion', {
  appId: z.string(),
  version: z.string(),
  name: z.string().describe('Name in the newest upload.'),
  publisher: PublisherSlug,
  status: VersionState.describe('Whether it is still published.'),
  installs: z.int(),
  score: z
    .number()
    .describe(
      'Severity by installs by the record of the users who reported it; the list begins with the highest.',
    ),
  firstAt: Timestamp,
  lastAt: Timestamp,
  total: z
    .int()
    .describe(
      'How many open reports there are. `reports` has at most 20 of each category: those that count for most.',
    ),
  reports: z.array(
    z.object({
      id: z.string(),
      category: ReportCategory,
      evidence: z.string(),
      reportedAt: Timestamp,
      record: z
        .object({ upheld: z.int(), dismissed: z.int() })
        .describe('How earlier reports of the same user were decided.'),
    }),
  ),
});
export type ReportedVersion = z.infer<typeof ReportedVersion>;

/** The reported versions, the most serious first. */
export const ReportedVersions = named.object('ReportedVersions', { versions: z.array(ReportedVersion) });
export type ReportedVersions = z.infer<typeof ReportedVersions>;

/** Request body that decides on the open reports of a version. */
export const ReportDecision = named.strictObject('ReportDecision', {
  outcome: ReportOutcome,
  note: Note.describe('For the users who reported the version.'),
});
export type ReportDecision = z.infer<typeof ReportDecision>;

/** How many reports a decision closed. */
export const DecidedReports = named.object('DecidedReports', { decided: z.int() });
