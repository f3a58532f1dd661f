import type { Extension } from '../../core/access/extension.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { withQueries } from '../../core/domain/parts/with-queries.ts';
import type { PeopleStores } from '../../core/people/people-parts.ts';
import type { Database } from '../../platform/database/schema.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import { type CheckDeps, createUserChecks, nextCheck, sealGrant } from './check-users.ts';
import { createProviderCheckStore } from './provider-check-store.ts';

/** The queries of the extension, on the database or on a transaction of it. */
export const groupQueries = (db: Database) => ({ providerChecks: createProviderCheckStore(db) });

type Needs = Omit<CheckDeps, 'providerChecks' | 'unitOfWork'> &
  Pick<Parts, 'db' | 'identities'> & { unitOfWork: UnitOfWork<PeopleStores> };

/** Asks the providers whose groups decide something whether users are still in them, while their sessions and tokens live. */
export const groups: Extension<Needs> = {
  name: 'groups',
  open(parts) {
    const own = withQueries(parts, groupQueries);
    return {
      routes: {},
      jobs: [{ what: 'Asking providers about users', seconds: [30, 30], work: createUserChecks(own) }],
      hooks: {
        async providerConfirmed({ db, identities }, personId, { issuer, subject, grant }, at) {
          const { providerChecks } = groupQueries(db);
          await providerChecks.setUnconfirmed(personId, null);
          const identity = await identities.find(issuer, subject);
          const provider = [...parts.providers.values()].find((one) => one.issuer === issuer);
          if (!identity || provider?.rules.scim) return;
          const nextAt = nextCheck(parts, parts.groupCheckMinutes * 60_000);
          const sealed = sealGrant(parts, identity.id, grant);
          await providerChecks.keep({ identityId: identity.id, sealed, confirmedAt: at, nextAt });
        },
      },
    };
  },
};
