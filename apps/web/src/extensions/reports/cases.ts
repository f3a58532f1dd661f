import type { ReportCategory, ReportedVersion } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { count } from '@svc/text/quantity';
import { read } from '../../account/api.ts';
import { caseOfVersion, type Waiting } from '../../moderation/cases.ts';

/** The categories in words, the most serious first. */
export const CATEGORY_WORDS: Readonly<Record<ReportCategory, string>> = {
  malware: 'Malware or theft of data',
  impersonation: 'Pretends to be another company or app',
  rights: 'Violates rights of others',
  excessive: 'Asks for more than it needs',
  broken: 'Does not work',
  spam: 'Spam',
};

export const REPORTED = apiRequest('GET /api/moderation/reports');

/** Names a reported version on its page. */
export const idOf = ({ appId, version }: Pick<ReportedVersion, 'appId' | 'version'>): string =>
  `${appId} ${version}`;

/** Reported versions, for the inbox. */
export async function readReports(): Promise<Waiting> {
  const { versions } = await read(REPORTED);
  const cases = versions.map((reported) => ({
    ...caseOfVersion(`/moderation/reports#${encodeURIComponent(idOf(reported))}`, 'report', reported),
    badges: [
      { key: 'total', look: 'bad', text: count(reported.total, 'report') },
      ...[...new Set(reported.reports.map(({ category }) => category))].map((category) => ({
        key: category,
        look: 'mild',
        text: CATEGORY_WORDS[category],
      })),
    ],
    since: reported.firstAt,
    dueAt: null,
    assignedTo: null,
  }));
  return { cases, total: cases.length };
}
