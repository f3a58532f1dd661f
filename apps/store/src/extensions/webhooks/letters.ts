import { type Letters, oneLine, timeText } from '../../core/domain/mail/letter.ts';

declare module '../../core/domain/mail/mail-store.ts' {
  interface ExtensionMails {
    'webhook-paused': { publisher: string | null; host: string; since: string };
  }
}

export const letters: Letters = {
  'webhook-paused': {
    write: async ({ baseUrl }, { publisher, host, since }) => ({
      subject: `A webhook to ${oneLine(host)} is paused`,
      text: `The receiver at ${oneLine(host)} of a webhook of ${publisher === null ? 'this store' : `the publisher ${publisher}`} has taken no event since ${timeText(since)}, so nothing is sent to it any more. Nothing is lost: once it works again, choose Resume, and it gets what it missed:
${baseUrl}${publisher === null ? '/admin/webhooks' : `/account/publishers/${publisher}/settings`}`,
    }),
  },
};
