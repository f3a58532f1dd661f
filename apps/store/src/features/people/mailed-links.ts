import { addressLinkFor } from './change-address.ts';
import { confirmLinkFor } from './confirm-email.ts';
import type { PeopleParts } from './people-parts.ts';
import { mayReset, resetLinkFor } from './reset-link.ts';

type LinkParts = Pick<
  PeopleParts,
  'people' | 'passwords' | 'clock' | 'baseUrl' | 'hasProviders' | 'resetMac' | 'addressMac' | 'confirmMac'
>;

/** The links of mails, created when a mail is sent; null when the mail has become pointless. */
export const mailedLinks = (deps: LinkParts) => ({
  async resetLink(personId: string): Promise<string | null> {
    const person = await deps.people.find(personId);
    return person && (await mayReset(deps, deps, person))
      ? (await resetLinkFor(deps, deps, personId)).url
      : null;
  },
  async confirmLink(personId: string): Promise<string | null> {
    const person = await deps.people.find(personId);
    return person && confirmLinkFor(deps, person);
  },
  addressLink: (personId: string, email: string) => addressLinkFor(deps, personId, email),
});
