import { type AddressDeps, addressLinkFor } from './change-address.ts';
import { type ConfirmDeps, confirmLinkFor } from './confirm-email.ts';
import type { PeopleDeps } from './people-stores.ts';
import { mayReset, type ResetLinkDeps, resetLinkFor } from './reset-link.ts';

type LinkDeps = ConfirmDeps &
  AddressDeps &
  ResetLinkDeps &
  Pick<PeopleDeps, 'people' | 'passwords' | 'clock'> & { hasProviders: boolean };

/** The links of mails, created when a mail is sent; null when the mail has become pointless. */
export const mailedLinks = (deps: LinkDeps) => ({
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
