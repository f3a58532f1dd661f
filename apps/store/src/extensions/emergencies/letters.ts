import type { EmergencyEffects } from '@svc/contracts';
import { count } from '@svc/text/quantity';
import { appealWords, type Letters, quoted } from '../../core/domain/mail/letter.ts';

declare module '../../core/domain/mail/mail-store.ts' {
  interface ExtensionMails {
    emergency: { publisher: string; appId: string | null; reason: string } & EmergencyEffects;
    'emergency-undone': { publisher: string; reason: string };
    'emergency-waiting': { publisher: string; reason: string };
    'emergency-decided': { publisher: string; state: 'done' | 'refused' };
  }
}

/** What an emergency did, as a list. */
const didWords = ({ versionsYanked, suspended, tokensRevoked, sessionsEnded }: EmergencyEffects): string =>
  [
    versionsYanked > 0 && `- ${count(versionsYanked, 'published version')} yanked: clients switch them off.`,
    suspended && '- Publishing is suspended, and nothing is listed.',
    tokensRevoked > 0 && `- ${count(tokensRevoked, 'token')} revoked.`,
    sessionsEnded > 0 && `- ${count(sessionsEnded, 'session')} of members ended.`,
  ]
    .filter((line) => line !== false)
    .join('\n');

export const letters: Letters = {
  emergency: {
    write: async (deps, { publisher, appId, reason, ...effects }) => ({
      subject: `The store acted on ${appId === null ? `the publisher ${publisher}` : `the app ${deps.app}`}`,
      text: `The operator of the store acted on ${appId === null ? `the publisher ${publisher}` : `the app ${deps.app} of the publisher ${publisher}`}:

${didWords(effects)}

The reason:

${quoted(reason)}${appealWords(deps, publisher)}`,
    }),
  },
  'emergency-undone': {
    write: async ({ baseUrl }, { publisher, reason }) => ({
      subject: `The store took back its act on the publisher ${publisher}`,
      text: `What the operator of the store did to the publisher ${publisher} was undone. Tokens that were revoked do not come back: create new ones. The reason:

${quoted(reason)}

${baseUrl}/account/publishers/${publisher}`,
    }),
  },
  'emergency-waiting': {
    write: async ({ baseUrl }, { publisher, reason }) => ({
      subject: `Confirm an emergency about the publisher ${publisher}`,
      text: `Another administrator asks you to confirm an emergency about the publisher ${publisher}, which waits for you. The reason:

${quoted(reason)}

To confirm or refuse it, open:
${baseUrl}/admin/emergencies`,
    }),
  },
  'emergency-decided': {
    write: async ({ baseUrl }, { publisher, state }) => ({
      subject: `The emergency about the publisher ${publisher} was ${state === 'done' ? 'confirmed' : 'refused'}`,
      text: `An administrator ${state === 'done' ? 'confirmed' : 'refused'} the emergency about the publisher ${publisher}: it waits for you no longer.

${baseUrl}/admin/emergencies`,
    }),
  },
};
