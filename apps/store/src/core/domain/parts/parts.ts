import type { AuditEntry, CaseKind, OwnAppLife, PersonalExport, RouteName } from '@svc/contracts';
import type { SigningKey } from '@svc/signing';
import type { BlobStore } from '../../../platform/blob-store.ts';
import { createRateLimitStore } from '../../../platform/database/rate-limit-store.ts';
import type { Database } from '../../../platform/database/schema.ts';
import type { LinkIssues } from '../../../platform/link-issues.ts';
import type { SafeRenderer } from '../../../platform/renderer.ts';
import type { ChangeMark, Clock, Log, RandomBytes, UnitOfWork } from '../../../platform/system.ts';
import { createAuditLog } from '../audit/audit-log.ts';
import { type BrandBook, createBrandStore } from '../brand/brand.ts';
import type { StoredDecision } from '../decisions/decision-store.ts';
import { createDecisionStore } from '../decisions/decision-store.ts';
import type { Taken } from '../decisions/record-decision.ts';
import { type AccessRuleBook, createAccessRuleStore } from '../identity/access-rules.ts';
import type { Caller, PersonCaller } from '../identity/caller.ts';
import {
  createCeremonyStore,
  createIdentityStore,
  createPasskeyStore,
  createPasswordStore,
} from '../identity/credential-store.ts';
import { createDeviceStore } from '../identity/device-store.ts';
import type { EndedAccess } from '../identity/end-access.ts';
import { createInvitationStore } from '../identity/invitation-store.ts';
import { createMemberStore } from '../identity/member-store.ts';
import { createNameStore } from '../identity/name-store.ts';
import { createPersonStore } from '../identity/person-store.ts';
import { createPublisherStore } from '../identity/publisher-store.ts';
import { createSessionStore } from '../identity/session-store.ts';
import { createTokenStore } from '../identity/token-store.ts';
import { createAppStatsStore } from '../listings/app-stats-store.ts';
import { createListingStore } from '../listings/listing-store.ts';
import type { Addresses } from '../listings/present.ts';
import { createSearchIndex } from '../listings/search/search-index.ts';
import { createMailChoiceStore } from '../mail/mail-choices.ts';
import { createMailStore } from '../mail/mail-store.ts';
import type { ServerFound } from '../tools/served.ts';
import { createAppStore } from '../versions/app-store.ts';
import type { Mover } from '../versions/changes.ts';
import { createLifeStore } from '../versions/life-store.ts';
import { createPeopleRecordStore } from '../versions/people-record.ts';
import { createMessageStore, createReviewStore } from '../versions/review-store.ts';
import type { VersionRef } from '../versions/version-record.ts';
import { createVersionStore } from '../versions/version-store.ts';

/** Creates the stores that several features use, on the database or on a transaction of it. */
export const createSharedStores = (db: Database) => ({
  /** The database or the transaction, for the queries of an extension. */
  db,
  people: createPersonStore(db),
  sessions: createSessionStore(db),
  passwords: createPasswordStore(db),
  passkeys: createPasskeyStore(db),
  chosenRules: createAccessRuleStore(db),
  chosenBrand: createBrandStore(db),
  identities: createIdentityStore(db),
  ceremonies: createCeremonyStore(db),
  publishers: createPublisherStore(db),
  names: createNameStore(db),
  members: createMemberStore(db),
  invitations: createInvitationStore(db),
  mails: createMailStore(db),
  mailChoices: createMailChoiceStore(db),
  tokens: createTokenStore(db),
  devices: createDeviceStore(db),
  apps: createAppStore(db),
  versions: createVersionStore(db),
  lives: createLifeStore(db),
  listings: createListingStore(db),
  appStats: createAppStatsStore(db),
  searchIndex: createSearchIndex(db),
  reviews: createReviewStore(db),
  peopleRecord: createPeopleRecordStore(db),
  messages: createMessageStore(db),
  rateLimits: createRateLimitStore(db),
  audit: createAuditLog(db),
  decisions: createDecisionStore(db),
});

export type Stores = ReturnType<typeof createSharedStores>;

/**
 * What the core asks its extensions when their rows are concerned. An extension that the operator switched off is asked too: what it stored
 * before is still exported, deleted and purged. `stores` are those of the transaction of the change.
 */
export type Hooks = {
  /** The suspension of a person began or ended. */
  personSuspended(stores: Stores, personId: string, suspended: boolean): Promise<void>;
  /** A person deletes their account: deletes what they wrote. */
  personLeaves(stores: Stores, personId: string, at: string): Promise<void>;
  /** What a person wrote, for the export of their data. */
  recordsOf(personId: string): Promise<Partial<PersonalExport>>;
  /** The names of the groups of a user as a sign-in provider provisions them; null when it provisions none. */
  groupsOf(stores: Pick<Stores, 'db'>, provider: string, personId: string): Promise<string[] | null>;
  /** A provider whose groups decide something confirmed a user, as they signed in: `grant` is the refresh token. */
  providerConfirmed(
    stores: Stores,
    personId: string,
    account: { issuer: string; subject: string; grant: string | null },
    at: string,
  ): Promise<void>;
  /** Whether a case of a kind waits for a moderator who is a member of some publishers: they must not find out about reports of these. */
  isWaiting(
    stores: Pick<Stores, 'db' | 'apps'>,
    kind: CaseKind,
    subject: string,
    own: ReadonlySet<string>,
  ): Promise<boolean>;
  /** Everything that gives access to an account ends: what was ended, as numbers for the audit log. */
  endAccess(stores: Stores, personId: string): Promise<Partial<EndedAccess>>;
  /** All tokens of a publisher are revoked: ends what would issue new ones. */
  tokensRevoked(stores: Pick<Stores, 'db'>, slug: string): Promise<void>;
  /** Undoes a decision that an extension took, on appeal. @returns whether it was of an extension. @throws ApiError already_handled */
  undoDecision(
    stores: Stores,
    caller: Caller,
    decision: Pick<StoredDecision, 'id' | 'kind'>,
    reason: string,
  ): Promise<boolean>;
  /** A decision is taken back, by the one who took it or on appeal. `note` is the reason that is given. */
  decisionEnded(
    stores: Stores,
    caller: Caller,
    taken: Taken,
    end: { note: string; at: string },
  ): Promise<void>;
  /** A version was submitted, and is to be checked. */
  versionSubmitted(stores: Pick<Stores, 'db'>, version: VersionRef): Promise<void>;
  /**
   * A moderator approved a version.
   * @param seen when the tools of its server that they saw were recorded; null when they saw none; undefined for those that are recorded now
   */
  versionApproved(
    stores: Pick<Stores, 'db'>,
    version: VersionRef,
    seen: string | null | undefined,
    mover: Mover,
  ): Promise<void>;
  /** A version was published, in the transaction that signed it. */
  versionPublished(stores: Pick<Stores, 'db'>, version: VersionRef, mover: Mover): Promise<void>;
  /** What the members of its publisher read about an app beside what the core says. */
  ownApp(stores: Pick<Stores, 'db'>, appId: string): Promise<Partial<OwnAppLife>>;
  /** A user recovered their account, in its transaction: every access from before has ended. */
  accountRecovered(stores: Stores, personId: string): Promise<void>;
  /** Whether an act of an extension in the name of a user who recovered their account is still in effect. */
  isInEffect(stores: Pick<Stores, 'db'>, act: AuditEntry, personId: string): Promise<boolean>;
  /** Undoes such an act. @throws ApiError the errors of the undoing act */
  undoAct(caller: PersonCaller, act: AuditEntry): Promise<void>;
  /** Whether another publisher must not take the id of an app yet that was never published. */
  holdsApp(stores: Pick<Stores, 'db'>, appId: string): Promise<boolean>;
  /** An app that no user installed is deleted, while its row is still there. */
  appRemoved(stores: Stores, appId: string): Promise<void>;
  /** A publisher without apps is deleted. */
  publisherRemoved(stores: Stores, slug: string): Promise<void>;
  /** Whether anyone used an app: its publisher cannot delete it any more. */
  usedApp(stores: Pick<Stores, 'db'>, appId: string): Promise<boolean>;
  /** Deletes expired rows. */
  purgeExpired(now: Date): Promise<void>;
};

/**
 * The parts of a store that several features use. The parameter type of a function names those that it uses, as
 * `Pick<Parts, 'clock' | 'versions'>`; what only one feature has is named beside them.
 */
export type Parts = Stores & {
  clock: Clock;
  random: RandomBytes;
  log: Log;
  unitOfWork: UnitOfWork<Stores>;
  /** Identifies this process among the processes of the store. */
  processName: string;
  /** Creates a unique id. */
  newId(): string;
  changeMark: ChangeMark;
  blobs: BlobStore;
  signingKey: SigningKey;
  /** Who may sign up, publish and read. */
  accessRules: AccessRuleBook;
  /** What the core asks its extensions. */
  hooks: Hooks;
  /** What the store knows about the server of a version. */
  serverOf(version: VersionRef): Promise<ServerFound>;
  /** The name, the logo and the accent of the store. */
  brandBook: BrandBook;
  /** Address of the store, without a trailing slash. */
  baseUrl: string;
  addresses: Addresses;
  /** The routes that the store has: those of its core, and of the extensions that are on. */
  routeNames: ReadonlySet<RouteName>;
  /** Adds the address of its explanation to each issue. */
  linkIssues: LinkIssues;
  /** Renders READMEs, changelogs and reviews as HTML. */
  renderer: SafeRenderer;
  /** How long personal data is kept, in days; null keeps it. */
  retentionDays: Readonly<{
    addresses: number | null;
    sessions: number;
    reports: number | null;
    mails: number;
  }>;
  /** Records the use of a token, with a delay. */
  recordUse(tokenId: string): void;
};

/** What changes something uses. `Own` are the stores of its feature. */
export type ChangeParts<Own = unknown> = Pick<Parts, 'clock' | 'log' | 'newId'> & {
  unitOfWork: UnitOfWork<Stores & Own>;
};
