import type { SearchIndex } from '../../catalog/search/search-index.ts';
import type { AuditLog } from '../../domain/audit/audit-log.ts';
import type { CeremonyStore } from '../../domain/identity/ceremony-store.ts';
import type { DeviceStore } from '../../domain/identity/device-store.ts';
import type { IdentityStore } from '../../domain/identity/identity-store.ts';
import type { InvitationStore } from '../../domain/identity/invitation-store.ts';
import type { MemberStore } from '../../domain/identity/member-store.ts';
import type { NameStore } from '../../domain/identity/name-store.ts';
import type { PasskeyStore } from '../../domain/identity/passkey-store.ts';
import type { PasswordStore } from '../../domain/identity/password-store.ts';
import type { PersonStore } from '../../domain/identity/person-store.ts';
import type { PublisherStore } from '../../domain/identity/publisher-store.ts';
import type { SessionStore } from '../../domain/identity/session-store.ts';
import type { TokenStore } from '../../domain/identity/token-store.ts';
import type { FigureStore } from '../../domain/listings/figure-store.ts';
import type { ListingStore } from '../../domain/listings/listing-store.ts';
import type { MailStore } from '../../domain/mail/mail-store.ts';
import type { ReviewStore } from '../../domain/versions/review-store.ts';
import type { AppStore, VersionStore } from '../../domain/versions/version-store.ts';
import type { InstallStore } from '../../installs/install-store.ts';
import type { KeyChainStore } from '../../keys/key-chain-store.ts';
import type { StandingStore } from '../../operations/standing-store.ts';
import type { UnitOfWork } from '../../platform/ambient.ts';
import type { Marks } from '../../platform/rate.ts';
import type { OwnAppStore } from '../../publishers/apps/own-app-store.ts';
import type { BlobLedger } from '../../publishing/blob-ledger.ts';
import type { FlagStore, RatingStore } from '../../ratings/rating-store.ts';
import type { RelayStore } from '../../relay/relay-store.ts';
import type { RevocationStore } from '../../revocations/revocation-store.ts';
import { createAppStore } from './app-store.ts';
import { createAuditLog } from './audit-log.ts';
import { createBlobLedger } from './blob-ledger.ts';
import { createCeremonyStore } from './ceremony-store.ts';
import { createDeviceStore } from './device-store.ts';
import { createFigureStore } from './figure-store.ts';
import { createFlagStore } from './flag-store.ts';
import { createIdentityStore } from './identity-store.ts';
import { createInstallStore } from './install-store.ts';
import { createInvitationStore } from './invitation-store.ts';
import { createKeyChainStore } from './key-chain-store.ts';
import { createListingStore } from './listing-store.ts';
import { createMailStore } from './mail-store.ts';
import { createMarks } from './marks.ts';
import { createMemberStore } from './member-store.ts';
import { createNameStore } from './name-store.ts';
import { createOwnAppStore } from './own-app-store.ts';
import { createPasskeyStore } from './passkey-store.ts';
import { createPasswordStore } from './password-store.ts';
import { createPersonStore } from './person-store.ts';
import { createPublisherStore } from './publisher-store.ts';
import { createRatingStore } from './rating-store.ts';
import { createRelayStore } from './relay-store.ts';
import { createReviewStore } from './review-store.ts';
import { createRevocationStore } from './revocation-store.ts';
import type { Database } from './schema.ts';
import { createSearchIndex } from './search-index.ts';
import { createSessionStore } from './session-store.ts';
import { createStandingStore } from './standing-store.ts';
import { createTokenStore } from './token-store.ts';
import { createVersionStore } from './version-store.ts';

/** Every store of the domain. */
export type Stores = {
  people: PersonStore;
  sessions: SessionStore;
  passwords: PasswordStore;
  passkeys: PasskeyStore;
  identities: IdentityStore;
  ceremonies: CeremonyStore;
  publishers: PublisherStore;
  names: NameStore;
  members: MemberStore;
  invitations: InvitationStore;
  mails: MailStore;
  tokens: TokenStore;
  devices: DeviceStore;
  apps: AppStore;
  ownApps: OwnAppStore;
  versions: VersionStore;
  listings: ListingStore;
  figures: FigureStore;
  installs: InstallStore;
  ratings: RatingStore;
  flags: FlagStore;
  searchIndex: SearchIndex;
  reviews: ReviewStore;
  revocations: RevocationStore;
  signingKeys: KeyChainStore;
  marks: Marks;
  relay: RelayStore;
  blobLedger: BlobLedger;
  audit: AuditLog;
  standing: StandingStore;
};

/** Every store over one database, or over one transaction of it. */
export const createStores = (db: Database): Stores => ({
  people: createPersonStore(db),
  sessions: createSessionStore(db),
  passwords: createPasswordStore(db),
  passkeys: createPasskeyStore(db),
  identities: createIdentityStore(db),
  ceremonies: createCeremonyStore(db),
  publishers: createPublisherStore(db),
  names: createNameStore(db),
  members: createMemberStore(db),
  invitations: createInvitationStore(db),
  mails: createMailStore(db),
  tokens: createTokenStore(db),
  devices: createDeviceStore(db),
  apps: createAppStore(db),
  ownApps: createOwnAppStore(db),
  versions: createVersionStore(db),
  listings: createListingStore(db),
  figures: createFigureStore(db),
  installs: createInstallStore(db),
  ratings: createRatingStore(db),
  flags: createFlagStore(db),
  searchIndex: createSearchIndex(db),
  reviews: createReviewStore(db),
  revocations: createRevocationStore(db),
  signingKeys: createKeyChainStore(db),
  marks: createMarks(db),
  relay: createRelayStore(db),
  blobLedger: createBlobLedger(db),
  audit: createAuditLog(db),
  standing: createStandingStore(db),
});

/** Begins a piece of work when the one before has ended, however it ended. */
function inTurn() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };
}

/**
 * Runs work in a transaction: all of it is kept, or none. Transactions run one at a time on either database; those of
 * this process wait for each other here, where waiting takes no connection away from those who only read.
 */
export function createUnitOfWork(db: Database): UnitOfWork<Stores> {
  const next = inTurn();
  return (work) => next(() => db.transaction().execute((tx) => work(createStores(tx))));
}
