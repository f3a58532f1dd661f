import type { AuditLog } from '../audit/audit-log.ts';
import type { MailStore } from '../mail/mail-store.ts';
import type { Clock, RandomBytes, UnitOfWork } from '../platform/ambient.ts';
import type { Marks } from '../platform/rate.ts';
import type { CeremonyStore } from './ceremony-store.ts';
import type { IdentityStore } from './identity-store.ts';
import type { PasskeyStore } from './passkey-store.ts';
import type { PasswordStore } from './password-store.ts';
import type { PersonStore } from './person-store.ts';
import type { SessionStore } from './session-store.ts';

/** All that is remembered of people, as one transaction sees it. */
export type PeopleStores = {
  people: PersonStore;
  sessions: SessionStore;
  passwords: PasswordStore;
  passkeys: PasskeyStore;
  identities: IdentityStore;
  ceremonies: CeremonyStore;
  marks: Marks;
  mails: MailStore;
  audit: AuditLog;
};

/** What every use case about people needs. */
export type PeopleDeps = PeopleStores & {
  unitOfWork: UnitOfWork<PeopleStores>;
  clock: Clock;
  random: RandomBytes;
  /** A fresh unique name. */
  newId(): string;
};
