import type { RecoveredAct } from '@svc/contracts';
import { type Letters, oneLine, timeText } from '../../core/domain/mail/letter.ts';

declare module '../../core/domain/mail/mail-store.ts' {
  interface ExtensionMails {
    'account-recovered': { personId: string };
  }
}

const ACT_STATES: Readonly<Record<RecoveredAct['state'], string>> = {
  open: ' (can be undone)',
  ended: ' (no longer in effect)',
  final: '',
};

/** The mail after a recovery. @param doneInNameOf what was done in the name of an account in the days before its recovery */
export const lettersOf = (doneInNameOf: (personId: string) => Promise<RecoveredAct[]>): Letters => ({
  'account-recovered': {
    async write({ people, baseUrl, storeName }, { personId: id }) {
      const [person, acts] = [await people.find(id), await doneInNameOf(id)];
      if (!person || acts.length === 0) return null;
      const lines = acts.map((act) => `- ${timeText(act.at)}: ${oneLine(act.words)}${ACT_STATES[act.state]}`);
      return {
        subject: `What was done with your account at ${storeName} before you recovered it`,
        text: `You recovered the account "${oneLine(person.name)}". In the 30 days before, this was done in its name:

${lines.join('\n')}

If some of it was not you, undo it:
${baseUrl}/account/recovery`,
      };
    },
  },
});
