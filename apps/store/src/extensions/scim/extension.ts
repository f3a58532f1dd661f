import type { Extension } from '../../core/access/extension.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { withQueries } from '../../core/domain/parts/with-queries.ts';
import type { PeopleStores } from '../../core/people/people-parts.ts';
import type { Database } from '../../platform/database/schema.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import { letters } from './letters.ts';
import type { ScimDeps } from './provision.ts';
import { scimRoutes } from './routes.ts';
import { createScimStore } from './scim-store.ts';

/** The queries of the extension, on the database or on a transaction of it. */
export const scimQueries = (db: Database) => ({ scim: createScimStore(db) });

type Needs = Omit<ScimDeps, 'scim' | 'unitOfWork'> &
  Pick<Parts, 'db'> & { unitOfWork: UnitOfWork<PeopleStores> };

/** Identity providers add users, change their groups, and end their access (SCIM 2.0, RFC 7644). */
export const scim: Extension<Needs> = {
  name: 'scim',
  open: (parts) => ({
    routes: scimRoutes(withQueries(parts, scimQueries)),
    letters,
    hooks: {
      groupsOf: ({ db }, provider, personId) => createScimStore(db).groupsOf(provider, personId),
      personLeaves: ({ db }, personId) => createScimStore(db).removePerson(personId),
    },
  }),
};
