import { type Letters, quoted } from '../../core/domain/mail/letter.ts';

declare module '../../core/domain/mail/mail-store.ts' {
  interface ExtensionMails {
    'tools-drift': {
      publisher: string;
      appId: string;
      version: string;
      tools: string[];
      suspended: boolean;
    };
  }
}

export const letters: Letters = {
  'tools-drift': {
    topic: 'apps',
    write: async ({ app }, { version, tools, suspended }) => ({
      subject: `The server of ${app} lists other tools than those that were reviewed`,
      text: `The store lists the server of each app again. The server of ${app} now says something else of these tools than when version ${version} was reviewed:

${quoted(tools.join('\n'))}

A moderator compares both.${suspended ? ' Until then the app is not listed.' : ''} Clients go on with what was reviewed.

If you did not change the server, someone else may have. If you did, publish a new version of the app together with such a change.`,
    }),
  },
};
