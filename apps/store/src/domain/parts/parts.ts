import type { SigningKey } from '@svc/signing';
import type { BlobStore } from '../../platform/blob-store.ts';
import type { ChangeMark } from '../../platform/change-mark.ts';
import type { LinkIssues } from '../../platform/link-issues.ts';
import type { RateLimitStore } from '../../platform/rate.ts';
import type { SafeRenderer } from '../../platform/renderer.ts';
import type { Clock, Log, RandomBytes } from '../../platform/system.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { DecisionStore } from '../decisions/decision-store.ts';
import type { AccessRuleBook, AccessRuleStore } from '../identity/access-rules.ts';
import type { CeremonyStore } from '../identity/ceremony-store.ts';
import type { DeviceStore } from '../identity/device-store.ts';
import type { IdentityStore } from '../identity/identity-store.ts';
import type { InvitationStore } from '../identity/invitation-store.ts';
import type { MemberStore } from '../identity/member-store.ts';
import type { NameStore } from '../identity/name-store.ts';
import type { PasskeyStore } from '../identity/passkey-store.ts';
import type { PasswordStore } from '../identity/password-store.ts';
import type { PersonStore } from '../identity/person-store.ts';
import type { PublisherStore } from '../identity/publisher-store.ts';
import type { SessionStore } from '../identity/session-store.ts';
import type { TokenStore } from '../identity/token-store.ts';
import type { AppStatsStore } from '../listings/app-stats-store.ts';
import type { FeaturedStore } from '../listings/featured-store.ts';
import type { ListingStore } from '../listings/listing-store.ts';
import type { Addresses } from '../listings/present.ts';
import type { SearchIndex } from '../listings/search/search-index.ts';
import type { MailStore } from '../mail/mail-store.ts';
import type { ToolStore } from '../tools/tool-store.ts';
import type { AppStore } from '../versions/app-store.ts';
import type { LifeStore } from '../versions/life-store.ts';
import type { MessageStore } from '../versions/message-store.ts';
import type { ReviewStore } from '../versions/review-store.ts';
import type { VersionStore } from '../versions/version-store.ts';

/**
 * The parts of a store that several features use. The parameter type of a function names those that it uses, as
 * `Pick<Parts, 'clock' | 'versions'>`; what only one feature has is named beside them.
 */
export type Parts = {
  // The stores of the database, or of a transaction.
  people: PersonStore;
  sessions: SessionStore;
  passwords: PasswordStore;
  passkeys: PasskeyStore;
  chosenRules: AccessRuleStore;
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
  versions: VersionStore;
  lives: LifeStore;
  tools: ToolStore;
  listings: ListingStore;
  featured: FeaturedStore;
  appStats: AppStatsStore;
  searchIndex: SearchIndex;
  reviews: ReviewStore;
  messages: MessageStore;
  rateLimits: RateLimitStore;
  audit: AuditLog;
  decisions: DecisionStore;

  clock: Clock;
  random: RandomBytes;
  log: Log;
  /** Creates a unique id. */
  newId(): string;
  changeMark: ChangeMark;
  blobs: BlobStore;
  signingKey: SigningKey;
  /** Who may sign up, publish and read. */
  accessRules: AccessRuleBook;
  /** Address of the store, without a trailing slash. */
  baseUrl: string;
  addresses: Addresses;
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
