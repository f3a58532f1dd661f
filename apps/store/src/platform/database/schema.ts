import type {
  AuditAction,
  AuditDetail,
  CiClaims,
  CiKind,
  DecisionKind,
  Emergency,
  EventType,
  MemberRole,
  Report,
  ReviewMessage,
  TokenKind,
  TokenScope,
} from '@svc/contracts';
import type { ColumnType, Generated, Kysely } from 'kysely';

declare const HELD: unique symbol;

/** The text of a value as JSON. */
export type JsonText<Value> = string & { readonly [HELD]: Value };

/** A column that holds JSON; its name ends in `_json`. */
type Json<Value> = ColumnType<JsonText<Value>, string, string>;

/** A boolean as both SQLite and PostgreSQL store it. */
export type Flag = 0 | 1;

/** Whether a listing is shown: 1 hides it, as its app or publisher is suspended; 2 only leaves it out of lists, as its app is delisted. */
export type Hidden = Flag | 2;

/** Converts a boolean to its stored form. */
export const flag = (value: boolean): Flag => (value ? 1 : 0);

export type StarsColumn = `stars_${1 | 2 | 3 | 4 | 5}`;

/** The tables. Text holds JSON where a name ends in `_json`; times are ISO 8601 in UTC, so that text order is time order. */
export type Tables = {
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
  };
  /** The look-alike keys of names that publishers have or requested: no two publishers share a key. */
  name_keys: { name_key: string; publisher: string };
  /** The published versions of the policy after the built-in one. */
  policies: { version: number; intro: string; rules_json: string; note: string; published_at: string };
  /** Decisions against publishers, each citing a rule of a version of the policy, and the appeal of it. */
  decisions: {
    id: string;
    kind: DecisionKind;
    publisher: string;
    app_id: string | null;
    version: string | null;
    rule: string;
    policy: number;
    note: string;
    decided_by: string;
    decided_at: string;
    appeal_state: Generated<string | null>;
    appealed_at: Generated<string | null>;
    answer: Generated<string | null>;
    answered_by: Generated<string | null>;
    answered_at: Generated<string | null>;
  };
  appeal_messages: {
    decision_id: string;
    number: number;
    side: string;
    author: string;
    written_at: string;
    text: string;
  };
  /** The looks of the names of listed apps, also with one letter less, and parts of those of their icons: apps that look alike share one. */
  app_looks: { look: string; app_id: string };
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
  };
  sessions: {
    hash: string;
    id: string;
    person_id: string;
    created_at: string;
    expires_at: string;
    last_seen_at: string;
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
  members: { publisher: string; person_id: string; role: string; since: string; added_by: string | null };
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
  apps: {
    app_id: string;
    publisher: string;
    suspended: Flag;
    created_at: string;
    suspension_json: Generated<string | null>;
    /** Whether only trusted publishers may publish it. */
    trusted_only: Generated<Flag>;
    /** Whether each version waits for a member of the publisher. */
    confirm_uploads: Generated<Flag>;
    delisted: Generated<Flag>;
    /** Why it should not be used any more, and what replaces it. */
    deprecation_json: Generated<string | null>;
    /** The publisher to which it is offered, by whom and when. */
    offer_json: Generated<string | null>;
    offered_to: Generated<string | null>;
  };
  /** Ids of apps, and looks of slugs of publishers, that are never given out again. */
  retired_names: { kind: string; name: string; retired_at: string };
  versions: {
    app_id: string;
    version: string;
    publisher: string;
    state: string;
    sha256: string;
    size: number;
    manifest_json: string;
    readme: string;
    changelog: string;
    files_json: string;
    issues_json: string;
    reasons_json: string;
    permission_diff_json: string | null;
    notes: string;
    submitted_at: string;
    submitted_by: string;
    published_at: string | null;
    signature: string | null;
    key_id: string | null;
    lease_by: string | null;
    lease_until: string | null;
    /** The name in the manifest. */
    name: string;
    /** Whether a newer upload of the app exists. */
    superseded: Flag;
    retracted: Flag;
    /** Whether a suspension of its app, publisher or submitter keeps it out of the queue. */
    withheld: Generated<Flag>;
    locked_by: string | null;
    locked_until: string | null;
    /** Since when a request for changes waits for the publisher. */
    changes_requested_at: string | null;
    /** The page that took the lock; null when no page did. */
    locked_page: string | null;
    /** The assigned moderator, by the name on record. */
    assigned_to: string | null;
    /** Whether it waits until a member of its publisher confirms it. */
    awaits_confirmation: Generated<Flag>;
    /** The CI job that uploaded it. */
    source_json: Generated<string | null>;
    /** The attestation of its build as it was sent, and the CI job that it proves. */
    attestation: Generated<string | null>;
    attested_json: Generated<string | null>;
    /** Why it should not be used any more, although it is not yanked. */
    deprecated: Generated<string | null>;
  };
  /** Messages of moderators and publishers about a version. `side` is the sender's side: `store` or `publisher`. */
  review_messages: {
    app_id: string;
    version: string;
    /** Place in the conversation, from 1. */
    number: number;
    sent_at: string;
    author: string;
    side: ReviewMessage['side'];
    role: ReviewMessage['role'];
    requests_changes: Flag;
    text: string;
  };
  version_moves: {
    app_id: string;
    version: string;
    from_state: string;
    to_state: string;
    moved_by: string;
    moved_at: string;
    note: string;
  };
  revocation_list: { id: number; list_json: string };
  /** The public keys of the store, in one row. */
  key_chain: { id: number; keys_json: string };
  listings: {
    app_id: string;
    version: string;
    name: string;
    name_key: string;
    first_published_at: string;
    updated_at: string;
    installs: number;
    rating_average: number;
    rating_count: number;
    /** The weighted average, which moves from a prior to the average as the number of ratings grows. */
    rating_weighted: Generated<number>;
    /** The publisher of the app. */
    publisher: Generated<string>;
    /** The perceptual hash of the icon; null when it has none, and before the first version after 0033. */
    icon_look: Generated<string | null>;
    /** The number of the listing, and its place in the lists of the search index; null until it is indexed. */
    number: number | null;
    place: number | null;
    /** Whether lists and pages show it. */
    hidden: Generated<Hidden>;
    /** The words of the name and of the publisher, for ranking. */
    name_words: Generated<string>;
    publisher_words: Generated<string>;
    /** The ids of the search lists that contain the app. */
    lists_json: Generated<string>;
  };
  search_lists: { id: Generated<number>; key: string; apps: number };
  search_postings: { list_id: number; place: number };
  search_spellings: { spelling: string; word: string };
  used_blobs: { sha256: string };
  doomed_blobs: { sha256: string; doomed_at: string };
  blob_owner: { id: number; name: string };
  marks: { subject: string; marked_at: string };
  relay_entries: {
    state_hash: string;
    sealed: string | null;
    network: string;
    /** The network of the browser, to compare with those of clients; null in rows of earlier versions. */
    browser: string | null;
    ticket_hash: string | null;
    confirmed: Flag;
    tries: number;
    expires_at: string;
  };
  relay_clients: {
    state_hash: string;
    network: string;
    site: string;
    app_id: string | null;
    expires_at: string;
  };
  /** Secrets of the store, by purpose. */
  store_secrets: { name: string; secret: string };
  /** The access rules that an administrator chose: who may sign up, publish and read. */
  access_rules: { rule: string; choice: string };
  /** The statistics of an app, listed or not: `stars_4` is its number of four-star ratings. */
  app_figures: { app_id: string; installs: number } & Record<StarsColumn, number>;
  /** Installations of an app; the hash is over both. */
  installs: {
    id_hash: string;
    app_id: string;
    /** The version that was downloaded last. */
    version: string;
    /** Whether it counts: the number that counts of one network is limited. */
    counted: Flag;
    /** The user who rated the app with it, if any. */
    person_id: string | null;
  };
  /** Downloads of a day, kept while a repeated download on that day must be recognised. */
  install_days: { day: string; id_hash: string; version: string };
  /** New installations of a network on a day, of an app; with an empty app id, of all apps. */
  install_networks: { day: string; network_hash: string; app_id: string; installs: number };
  install_counts: { app_id: string; day: string; version: string; installs: number; updates: number };
  ratings: {
    id: string;
    app_id: string;
    person_id: string;
    stars: number;
    title: string;
    body: string;
    version: string;
    created_at: string;
    updated_at: string;
    reply_body: string | null;
    reply_created_at: string | null;
    reply_updated_at: string | null;
    /** Whether a moderator hid it; whether its author is suspended. It is shown, and counts, when neither applies. */
    hidden: Generated<Flag>;
    withheld: Generated<Flag>;
    note: Generated<string>;
    /** Since when it waits for a moderator. */
    waiting_since: string | null;
    /** When its author removed the hidden review: the text is deleted, and the row stays to record that it was hidden. */
    removed_at: string | null;
  };
  rating_flags: {
    rating_id: string;
    person_id: string;
    by_publisher: Flag;
    reason: string;
    note: string;
    flagged_at: string;
    decided_at: string | null;
  };
  audit_log: {
    id: Generated<number>;
    at: string;
    actor: string;
    action: AuditAction;
    app_id: string | null;
    version: string | null;
    publisher: string | null;
    token_id: string | null;
    address: string | null;
    request_id: string | null;
    detail_json: Json<AuditDetail>;
  };
  /** Reports of apps by users. */
  reports: {
    id: string;
    app_id: string;
    version: string;
    publisher: string;
    person_id: string;
    category: Report['category'];
    evidence: string;
    state: Report['state'];
    note: Generated<string | null>;
    reported_at: string;
    decided_by: Generated<string | null>;
    decided_at: Generated<string | null>;
  };
  /** Acts of administrators that stop a publisher or an app. */
  emergencies: {
    id: string;
    state: Emergency['state'];
    publisher: string;
    /** Null when it acts on all apps of the publisher. */
    app_id: string | null;
    acts_json: Json<Emergency['acts']>;
    reason: string;
    reach_json: Json<Emergency['reach']>;
    effects_json: ColumnType<JsonText<Emergency['effects']> | null, string | null | undefined, string>;
    started_by: string;
    started_at: string;
    decided_by: Generated<string | null>;
    decided_at: Generated<string | null>;
    undone_by: Generated<string | null>;
    undone_at: Generated<string | null>;
  };
  /** Which listed apps require which others. */
  app_requirements: { requires: string; app_id: string };
  tool_records: { app_id: string; version: string; source: string; recorded_at: string; tools_json: string };
  /** Tokens with which the store lists the servers of apps, encrypted, and the host that each is for. */
  reviewer_accounts: {
    app_id: string;
    host: string;
    sealed: string;
    deposited_by: string;
    deposited_at: string;
  };
  /** The checks of the servers of apps. `drift_since`: since when a change waits for a decision. */
  server_checks: { app_id: string; next_at: string; drift_since: string | null; state_json: string };
  /** The apps that administrators feature, by their place from 0. */
  featured_apps: { app_id: string; place: number };
  listing_categories: { app_id: string; category: string; updated_at: string; hidden: Generated<Hidden> };
};

export type Database = Kysely<Tables>;
