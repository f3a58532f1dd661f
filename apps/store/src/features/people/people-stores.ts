import type { AccessStores } from '../../domain/identity/end-access.ts';
import type { Stores } from '../../domain/parts/parts.ts';
import type { Clock, Log, RandomBytes, UnitOfWork } from '../../platform/system.ts';
import type { NameRules } from './name-rules.ts';
import type { ScimStore } from './scim-store.ts';

/** The stores of persons, in one transaction. */
export type PeopleStores = Stores & AccessStores & { scim: ScimStore };

/** The dependencies of every use case about persons. */
export type PeopleDeps = PeopleStores &
  NameRules & {
    unitOfWork: UnitOfWork<PeopleStores>;
    clock: Clock;
    random: RandomBytes;
    log: Log;
    /** Creates a unique id. */
    newId(): string;
  };
