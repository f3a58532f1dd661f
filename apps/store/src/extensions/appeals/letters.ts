import type { AppealOutcome } from '@svc/contracts';
import { decisionsUrl, type Letters, quoted } from '../../core/domain/mail/letter.ts';

declare module '../../core/domain/mail/mail-store.ts' {
  interface ExtensionMails {
    'appeal-message': { publisher: string; text: string };
    'appeal-decided': { publisher: string; outcome: AppealOutcome; note: string };
  }
}

export const letters: Letters = {
  'appeal-message': {
    topic: 'appeals',
    write: async (deps, { publisher, text }) => ({
      subject: `A moderator wrote in the appeal of ${publisher}`,
      text: `A moderator wrote in an appeal of the publisher ${publisher}:

${quoted(text)}

To reply, open:
${decisionsUrl(deps, publisher)}`,
    }),
  },
  'appeal-decided': {
    topic: 'appeals',
    write: async (deps, { publisher, outcome, note }) => ({
      subject: `An appeal of ${publisher} was decided: ${outcome}`,
      text: `A moderator decided an appeal of the publisher ${publisher}: ${outcome === 'upheld' ? 'the decision stays' : 'the decision is reversed'}. The note of the moderator:

${quoted(note)}

All decisions and appeals:
${decisionsUrl(deps, publisher)}`,
    }),
  },
};
