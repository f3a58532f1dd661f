import type { ReportOutcome } from '@svc/contracts';
import { type Letters, quoted } from '../../core/domain/mail/letter.ts';

declare module '../../core/domain/mail/mail-store.ts' {
  interface ExtensionMails {
    'report-decided': { appId: string; version: string; outcome: ReportOutcome; note: string };
    'report-undone': { appId: string; version: string; reason: string };
  }
}

export const letters: Letters = {
  'report-decided': {
    topic: 'appeals',
    write: async ({ baseUrl, app }, { version, outcome, note }) => ({
      subject: `Your report of ${app} ${version} was ${outcome}`,
      text: `A moderator decided on your report of ${app} ${version}: ${outcome === 'upheld' ? 'it is right' : 'it was dismissed'}. The note of the moderator:

${quoted(note)}

Your reports: ${baseUrl}/account/reports`,
    }),
  },
  'report-undone': {
    write: async ({ baseUrl, app }, { version, reason }) => ({
      subject: `What was decided on your report of ${app} ${version} was undone`,
      text: `You reported ${app} ${version}, and a moderator found your report right. What the store did then was undone: if you use the app, it can be on again. The reason:

${quoted(reason)}

Your reports: ${baseUrl}/account/reports`,
    }),
  },
};
