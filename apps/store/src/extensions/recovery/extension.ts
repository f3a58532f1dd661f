import type { Extension } from '../../core/access/extension.ts';
import { mailUser } from '../../core/domain/mail/post-mail.ts';
import { recoveredActs } from './acts.ts';
import { lettersOf } from './letters.ts';
import { type RecoveryDeps, recoveryRoutes } from './routes.ts';

/** What was done in the name of an account before its user recovered it: a mail with the list, and a page on which each act is undone. */
export const recovery: Extension<RecoveryDeps> = {
  name: 'recovery',
  open: (parts) => ({
    routes: recoveryRoutes(parts),
    letters: lettersOf(async (id) => (await recoveredActs(parts, { id, isAdministrator: false })).acts),
    hooks: {
      async accountRecovered(stores, personId) {
        if (!parts.routeNames.has('recoveredActs')) return;
        const person = await stores.people.find(personId);
        if (person)
          await mailUser(parts, stores, person, { kind: 'account-recovered', detail: { personId } });
      },
    },
  }),
};
