import type { AuditLog } from '../../domain/audit/audit-log.ts';
import type { CeremonyStore } from '../../domain/identity/ceremony-store.ts';
import type { AccessStores } from '../../domain/identity/end-access.ts';
import type { MemberStore } from '../../domain/identity/member-store.ts';
import type { NameStore } from '../../domain/identity/name-store.ts';
import type { PasswordStore } from '../../domain/identity/password-store.ts';
import type { PersonStore } from '../../domain/identity/person-store.ts';
import type { PublisherStore } from '../../domain/identity/publisher-store.ts';
import type { MailStore } from '../../domain/mail/mail-store.ts';
import type { RateLimitStore } from '../../platform/rate.ts';
import type { Clock, Log, RandomBytes, UnitOfWork } from '../../platform/system.ts';
import type { NameRules } from './name-rules.ts';
import type { ScimStore } from './scim-store.ts';

/** The stores of persons, in one transaction. */
export type PeopleStores = AccessStores & {
  members: MemberStore;
  publishers: PublisherStore;
  people: PersonStore;
  names: NameStore;
  passwords: PasswordStore;
  ceremonies: CeremonyStore;
  rateLimits: RateLimitStore;
  mails: MailStore;
  scim: ScimStore;
  audit: AuditLog;
};

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
