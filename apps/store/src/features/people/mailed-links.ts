import { type ConfirmDeps, confirmLinkFor } from './confirm-email.ts';
import type { PeopleDeps } from './people-stores.ts';
import { type ResetLinkDeps, resetLinkFor } from './reset-link.ts';

type LinkDeps = ConfirmDeps & ResetLinkDeps & Pick<PeopleDeps, 'people' | 'passwords' | 'clock'>;

/** The links of mails, created when a mail is sent; null when the mail has become pointless. */
export const mailedLinks = (deps: LinkDeps) => ({
  async resetLink(personId: string): Promise<string | null> {
    const person = await deps.people.find(personId);
    const hash = await deps.passwords.find(personId);
    return person && !person.suspended && hash !== null ? resetLinkFor(deps, personId, hash).url : null;
  },
  async confirmLink(personId: string): Promise<string | null> {
    const person = await deps.people.find(personId);
    return person && confirmLinkFor(deps, person);
  },
});
