import type { Mac } from '../../platform/secret.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import type { AccessStores } from '../domain/identity/end-access.ts';
import type { Parts, Stores } from '../domain/parts/parts.ts';
import type { Rasters } from '../pictures/rasters.ts';
import type { LeavingStore } from './leaving-store.ts';
import type { NameRules } from './name-rules.ts';
import type { PasswordHasher } from './password.ts';
import type { Providers } from './provider.ts';

/** The stores of persons, in one transaction. */
export type PeopleStores = Stores & AccessStores & { leaving: LeavingStore };

/** The MACs of links and cookies, each for one purpose only. */
type Macs = Record<
  'resetMac' | 'addressMac' | 'confirmMac' | 'unsubscribeMac' | 'ceremonyMac' | 'browserMac' | 'keptMac',
  Mac
>;

/** The parts of the feature. */
export type PeopleParts = PeopleStores &
  NameRules &
  Macs &
  Pick<
    Parts,
    'clock' | 'random' | 'baseUrl' | 'log' | 'newId' | 'accessRules' | 'hooks' | 'routeNames' | 'brandBook'
  > & {
    unitOfWork: UnitOfWork<PeopleStores>;
    providers: Providers;
    /** Whether the store has sign-in providers. Then an account without a password cannot get one. */
    hasProviders: boolean;
    passwordHasher: PasswordHasher;
    /** Whether mails are sent to a mail server, and not only written to the log. */
    sendsMail: boolean;
    /**
     * A MAC over random bytes in the database. A copy of the database is not enough to compute it, and the link of an earlier store with
     * the same signing key is not valid.
     */
    setupKey: string;
    /** Whether the last part of a path, after `/invitations/`, is an invitation that can still be accepted. */
    isInvitation(link: string): Promise<boolean>;
    rasters: Pick<Rasters, 'drawLogo'>;
    /** The paths of the store's own scripts, by name. */
    staticAddresses: ReadonlyMap<string, string>;
  };
