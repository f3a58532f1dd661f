import { createAuditLog } from '../../domain/audit/audit-log.ts';
import { createDecisionStore } from '../../domain/decisions/decision-store.ts';
import { createAccessRuleStore } from '../../domain/identity/access-rules.ts';
import { createCeremonyStore } from '../../domain/identity/ceremony-store.ts';
import { createDeviceStore } from '../../domain/identity/device-store.ts';
import { createIdentityStore } from '../../domain/identity/identity-store.ts';
import { createInvitationStore } from '../../domain/identity/invitation-store.ts';
import { createMemberStore } from '../../domain/identity/member-store.ts';
import { createNameStore } from '../../domain/identity/name-store.ts';
import { createPasskeyStore } from '../../domain/identity/passkey-store.ts';
import { createPasswordStore } from '../../domain/identity/password-store.ts';
import { createPersonStore } from '../../domain/identity/person-store.ts';
import { createPublisherStore } from '../../domain/identity/publisher-store.ts';
import { createSessionStore } from '../../domain/identity/session-store.ts';
import { createTokenStore } from '../../domain/identity/token-store.ts';
import { createTrustedPublisherStore } from '../../domain/identity/trusted-publisher-store.ts';
import { createAppStatsStore } from '../../domain/listings/app-stats-store.ts';
import { createFeaturedStore } from '../../domain/listings/featured-store.ts';
import { createListingStore } from '../../domain/listings/listing-store.ts';
import { createSearchIndex } from '../../domain/listings/search/search-index.ts';
import { createMailChoiceStore } from '../../domain/mail/mail-choices.ts';
import { createMailStore } from '../../domain/mail/mail-store.ts';
import { createToolStore } from '../../domain/tools/tool-store.ts';
import { createAppStore } from '../../domain/versions/app-store.ts';
import { createLifeStore } from '../../domain/versions/life-store.ts';
import { createMessageStore } from '../../domain/versions/message-store.ts';
import { createReviewStore } from '../../domain/versions/review-store.ts';
import { createVersionStore } from '../../domain/versions/version-store.ts';
import { createEmergencyStore } from '../../features/emergencies/emergency-store.ts';
import { createInstallStore } from '../../features/installs/install-store.ts';
import { createKeyChainStore } from '../../features/keys/key-chain-store.ts';
import { createBacklogStore } from '../../features/operations/backlog-store.ts';
import { createLeavingStore } from '../../features/people/leaving-store.ts';
import { createScimStore } from '../../features/people/scim-store.ts';
import { createOwnAppStore } from '../../features/publishers/apps/own-app-store.ts';
import { createBlobLedger } from '../../features/publishing/blob-ledger.ts';
import { createFlagStore } from '../../features/ratings/flag-store.ts';
import { createRatingStore } from '../../features/ratings/rating-store.ts';
import { createReleasedStore } from '../../features/registry/released-store.ts';
import { createRelayStore } from '../../features/relay/relay-store.ts';
import { createReportStore } from '../../features/reports/report-store.ts';
import { createRevocationStore } from '../../features/revocations/revocation-store.ts';
import { createEventStore } from '../../features/webhooks/event-store.ts';
import { createWebhookStore } from '../../features/webhooks/webhook-store.ts';
import { createRateLimitStore } from '../../platform/database/rate-limit-store.ts';
import type { Database } from '../../platform/database/schema.ts';
import type { UnitOfWork } from '../../platform/system.ts';

/** Creates all stores on a database, or on a transaction of it. */
export const createStores = (db: Database) => ({
  people: createPersonStore(db),
  leaving: createLeavingStore(db),
  sessions: createSessionStore(db),
  passwords: createPasswordStore(db),
  passkeys: createPasskeyStore(db),
  chosenRules: createAccessRuleStore(db),
  identities: createIdentityStore(db),
  scim: createScimStore(db),
  ceremonies: createCeremonyStore(db),
  publishers: createPublisherStore(db),
  names: createNameStore(db),
  members: createMemberStore(db),
  invitations: createInvitationStore(db),
  mails: createMailStore(db),
  mailChoices: createMailChoiceStore(db),
  tokens: createTokenStore(db),
  trustedPublishers: createTrustedPublisherStore(db),
  devices: createDeviceStore(db),
  apps: createAppStore(db),
  ownApps: createOwnAppStore(db),
  versions: createVersionStore(db),
  lives: createLifeStore(db),
  tools: createToolStore(db),
  listings: createListingStore(db),
  released: createReleasedStore(db),
  featured: createFeaturedStore(db),
  appStats: createAppStatsStore(db),
  installs: createInstallStore(db),
  ratings: createRatingStore(db),
  flags: createFlagStore(db),
  searchIndex: createSearchIndex(db),
  reviews: createReviewStore(db),
  messages: createMessageStore(db),
  revocations: createRevocationStore(db),
  decisions: createDecisionStore(db),
  emergencies: createEmergencyStore(db),
  reports: createReportStore(db),
  signingKeys: createKeyChainStore(db),
  rateLimits: createRateLimitStore(db),
  relay: createRelayStore(db),
  blobLedger: createBlobLedger(db),
  audit: createAuditLog(db),
  events: createEventStore(db),
  webhooks: createWebhookStore(db),
  backlog: createBacklogStore(db),
});

export type Stores = ReturnType<typeof createStores>;

/** Runs tasks one after another: each starts when the previous one has settled. */
function inTurn() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };
}

/**
 * Runs work in a transaction. Transactions run one at a time on either database. Those of this process wait for each other here, so
 * that a waiting transaction does not occupy a connection that readers need.
 */
export function createUnitOfWork(db: Database): UnitOfWork<Stores> {
  const next = inTurn();
  return (work) => next(() => db.transaction().execute((tx) => work(createStores(tx))));
}
