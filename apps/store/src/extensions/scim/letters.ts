import { type Letters, oneLine } from '../../core/domain/mail/letter.ts';

declare module '../../core/domain/mail/mail-store.ts' {
  interface ExtensionMails {
    'deactivations-held': { provider: string; limit: number };
  }
}

export const letters: Letters = {
  'deactivations-held': {
    write: async ({ baseUrl }, { provider, limit }) => ({
      subject: `${oneLine(provider)} would end the access of many users`,
      text: `The identity provider ${oneLine(provider)} would end the access of more than ${limit} users within an hour. The store does not let it: the other users keep their access until the provider tries again, in an hour at the earliest.

If these users are to go at once, suspend them here. If not, stop the provisioning at the provider.
${baseUrl}/admin/people`,
    }),
  },
};
