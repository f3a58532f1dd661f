import type { CiClaims, CiKind, EventType, MemberRole, TokenKind, TokenScope } from '@svc/contracts';
import type { Generated } from 'kysely';
import type { Flag, Json } from './columns.ts';

/** Publishers, people and their ways to sign in. */
export type PeopleTables = {
  publishers: {
    slug: string;
    name: string;
    website: string | null;
    verified: Flag;
    suspended: Flag;
    created_at: string;
    /** The look-alike key of the slug: slugs that look alike have the same one. */
    look: string;
    /** The token that proves the ownership of the website, once it is published there. */
    proof: string;
    /** How it was verified: `website` or `administrator`; null when it was not. */
    verified_by: string | null;
    /** Host of the verified website; null when there is none. */
    verified_host: string | null;
    /** When the website was last checked, and since when the proof has been missing. */
    checked_at: string | null;
    missing_since: string | null;
    /** Who suspended it, when and why. */
    suspension_json: Generated<string | null>;
    /** The address of the store whose publisher it stands for; null for one of this store. */
    origin: Generated<string | null>;
    /** How much it may store, in MiB; null when the policy of the store says it. */
    storage_mib: Generated<number | null>;
  };
  /** The look-alike keys of names that publishers have or requested: no two publishers share a key. */
  name_keys: { name_key: string; publisher: string };
  /** Names that verified publishers requested. */
  name_requests: { publisher: string; name: string; asked_by: string; asked_at: string };
  people: {
    id: string;
    name: string;
    email: string | null;
    email_verified: Flag;
    role: string;
    suspended: Flag;
    created_at: string;
    /** When the user last recovered the account, which ended every access from before. */
    recovered_at: Generated<string | null>;
    suspension_json: Generated<string | null>;
    /** Since when the user may have the role without a passkey; null for the creation of the account. */
    grace_from: Generated<string | null>;
    /** Why the sign-in provider does not confirm the user: `refused`, or `stale` when it could not be asked for long; null when it does. */
    unconfirmed: Generated<string | null>;
  };
  sessions: {
    /** Hex SHA-256 of the secret. */
    hash: string;
    /** Identifies the session where the secret must not be shown. */
    id: string;
    person_id: string;
    created_at: string;
    expires_at: string;
    last_seen_at: string;
    /** The address and the user agent at the sign-in. */
    address: string | null;
    agent: string;
    /** When the user last proved their identity in it; null in sessions from before this was recorded. */
    proved_at: Generated<string | null>;
    /** Whether the user proved it with a passkey. */
    has_passkey: Generated<Flag>;
  };
  passwords: { person_id: string; hash: string; changed_at: string };
  /** Passkeys: the public keys of key pairs that only a user's device can use. */
  passkeys: {
    /** Credential id, base64url, chosen by the device. */
    id: string;
    person_id: string;
    label: string;
    /** COSE key, base64url. */
    public_key: string;
    /** The signature counter of the device; always 0 when the device does not count. */
    counter: number;
    /** Transport hints for browsers. */
    transports_json: Json<string[]>;
    created_at: string;
    last_used_at: string | null;
  };
  /** Accounts at providers with which users sign in. They are never matched by their email addresses. */
  identities: {
    id: string;
    /** The provider, and its permanent id of the account (OpenID Connect Core 1.0 section 5.7). */
    issuer: string;
    subject: string;
    person_id: string;
    /** The display name of the account at the provider. */
    label: string;
    created_at: string;
  };
  /** When a provider last confirmed an account, the sealed refresh token for the next time, and when that is. */
  provider_checks: {
    identity_id: string;
    sealed: Generated<string | null>;
    confirmed_at: string;
    next_at: string;
  };
  /** Users and groups that an identity provider provisions. */
  scim_users: {
    id: string;
    provider: string;
    person_id: string;
    user_name: string;
    external_id: string | null;
    name: string;
    email: string | null;
    active: Flag;
    created_at: string;
    changed_at: string;
  };
  scim_groups: {
    id: string;
    provider: string;
    name: string;
    external_id: string | null;
    created_at: string;
    changed_at: string;
  };
  scim_members: { group_id: string; user_id: string };
  ceremonies: { hash: string; kind: string; expires_at: string; detail_json: string };
  /**
   * Users who act for publishers. `added_by` is the user who invited them, or gave them their role; null for the store itself.
   * `owner_since` is null for members that are no owners.
   */
  members: {
    publisher: string;
    person_id: string;
    role: MemberRole;
    since: string;
    added_by: string | null;
    owner_since: string | null;
  };
  /** Invitations to act for a publisher. The link of one consists of its id and a MAC, which is not stored. */
  invitations: {
    id: string;
    publisher: string;
    role: MemberRole;
    email: string | null;
    /** Id of the owner who invites. */
    invited_by: string;
    created_at: string;
    expires_at: string;
  };
  /** Developer tokens, without the tokens themselves. */
  tokens: {
    /** Hex SHA-256 of the token. */
    hash: string;
    /** Identifies the token where it must not be shown. */
    id: string;
    kind: TokenKind;
    /** The name that its owner chose. */
    name: string;
    /** The user who owns it; null when it belongs to its publisher. */
    person_id: string | null;
    /** The only publisher that it acts for; null when it acts for all publishers of its owner. */
    publisher: string | null;
    /** The only app that it may change; null when it is not bound to one. */
    app_id: string | null;
    scopes_json: Json<TokenScope[]>;
    created_at: string;
    expires_at: string;
    last_used_at: string | null;
    revoked_at: string | null;
    /** Id of the user who created it; null when automation did. */
    made_by: Generated<string | null>;
    /** The CI workflow whose job got it, and what its ID token said. */
    trusted_id: Generated<string | null>;
    source_json: Generated<string | null>;
  };
  /** CI workflows that may publish an app, which does not have to exist yet. */
  trusted_publishers: {
    id: string;
    publisher: string;
    app_id: string;
    issuer: string;
    kind: CiKind;
    /** What the ID token of a job must say. */
    claims_json: Json<CiClaims>;
    created_at: string;
    /** The user who added it. */
    made_by: string | null;
    last_used_at: string | null;
  };
  /** Addresses that get events. */
  webhooks: {
    id: string;
    /** Null for a webhook of the store. */
    publisher: string | null;
    url: string;
    /** Null for all events. */
    types_json: Json<EventType[]> | null;
    secret: string;
    /** The last event that was queued for it, or that it does not want: the id of an audit entry. */
    after_event: number;
    created_at: string;
    made_by: string | null;
    disabled_at: string | null;
    /** When its turn is; null while nothing waits. */
    next_at: Generated<string | null>;
    /** Until when a process has its turn; null between turns. */
    turn_until: Generated<string | null>;
    /** Whether it answered late or not at all the last time, or never was asked. */
    slow: Generated<Flag>;
    /** Turns that failed since one did not, and since when. */
    failures: Generated<number>;
    failing_since: Generated<string | null>;
    /** Since when nothing is sent to it, as its receiver stayed down. */
    paused_at: Generated<string | null>;
  };
  /** Events that webhooks got, or are to get. `event_id` is the id of an audit entry. */
  webhook_deliveries: {
    webhook_id: string;
    event_id: number;
    state: string;
    tries: number;
    created_at: string;
    next_try_at: string | null;
    tried_at: Generated<string | null>;
    status: Generated<number | null>;
    fault: Generated<string | null>;
  };
  /** Device sign-ins in progress. Neither of the codes of one is stored. */
  device_codes: {
    /** Hex SHA-256 of the device code. */
    device_hash: string;
    /** MAC of the user code, which has too few random bits for a plain hash. */
    user_code_seal: string;
    /** The name that the client gives itself. */
    client: string;
    address: string | null;
    created_at: string;
    expires_at: string;
    state: 'pending' | 'approved' | 'denied';
    person_id: string | null;
    asked_json: Json<{ scopes: TokenScope[]; publisher: string | null }>;
    grant_json: string | null;
    polled_at: string | null;
  };
  mails: {
    id: string;
    recipient: string;
    kind: string;
    detail_json: string;
    created_at: string;
    next_try_at: string;
    tries: number;
  };
  /** How users get mails of a topic, where it is not each at once. */
  mail_choices: { person_id: string; topic: string; choice: string };
};
