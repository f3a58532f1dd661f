import type { Generated, Kysely } from 'kysely';

/** Yes or no, as both SQLite and PostgreSQL keep it. */
export type Flag = 0 | 1;

/** A yes or no, as it is kept. */
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
    /** The slug as it looks: what looks alike is the same here. */
    look: string;
    /** What shows that the website is the publisher's, once it stands there. */
    proof: string;
    /** How it was verified: `website` or `administrator`; null when it was not. */
    verified_by: string | null;
    /** Host of the website that was verified; null when none was. */
    verified_host: string | null;
    /** When the website was last looked at, and since when the proof has been missing. */
    checked_at: string | null;
    missing_since: string | null;
  };
  /** What the names look like that publishers have or wait for: no two publishers share a key. */
  name_keys: { name_key: string; publisher: string };
  /** Names that verified publishers wait for. */
  name_requests: { publisher: string; name: string; asked_by: string; asked_at: string };
  people: {
    id: string;
    name: string;
    email: string | null;
    email_verified: Flag;
    role: string;
    suspended: Flag;
    created_at: string;
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
  };
  passwords: { person_id: string; hash: string; changed_at: string };
  passkeys: {
    id: string;
    person_id: string;
    label: string;
    public_key: string;
    counter: number;
    transports_json: string;
    created_at: string;
    last_used_at: string | null;
  };
  identities: {
    id: string;
    issuer: string;
    subject: string;
    person_id: string;
    label: string;
    created_at: string;
  };
  ceremonies: { hash: string; kind: string; expires_at: string; detail_json: string };
  members: { publisher: string; person_id: string; role: string; since: string };
  invitations: {
    id: string;
    publisher: string;
    role: string;
    email: string | null;
    invited_by: string;
    created_at: string;
    expires_at: string;
  };
  tokens: {
    hash: string;
    id: string;
    kind: string;
    name: string;
    person_id: string | null;
    publisher: string | null;
    app_id: string | null;
    scopes_json: string;
    created_at: string;
    expires_at: string;
    last_used_at: string | null;
    revoked_at: string | null;
  };
  device_codes: {
    device_hash: string;
    user_code_seal: string;
    client: string;
    address: string | null;
    created_at: string;
    expires_at: string;
    state: string;
    person_id: string | null;
    asked_json: string;
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
  apps: { app_id: string; publisher: string; suspended: Flag; created_at: string };
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
    /** Of the manifest. */
    name: string;
    /** Whether a newer upload of the app exists. */
    superseded: Flag;
    /** Whether its publisher took it back. */
    retracted: Flag;
    locked_by: string | null;
    locked_until: string | null;
    /** Since when a request for changes waits for an answer of the publisher. */
    changes_requested_at: string | null;
    /** The page that took the lock; null when no page did. */
    locked_page: string | null;
    /** The moderator who should look at it, by the name on record. */
    assigned_to: string | null;
  };
  /** What moderators and publishers say to each other about a version. `side` is for whom: `store` or `publisher`. */
  review_messages: {
    app_id: string;
    version: string;
    /** Place in the conversation, from 1. */
    number: number;
    sent_at: string;
    author: string;
    side: string;
    role: string;
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
  /** The public keys that the store signs with, in one row. */
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
    /** What the average comes to as long as few have rated. */
    rating_weighted: Generated<number>;
    /** Whose the app is. */
    publisher: Generated<string>;
    /** Among all listings, and in the lists of the search; null until the listing is found by it. */
    number: number | null;
    place: number | null;
    /** Whether the app or its publisher is suspended. */
    hidden: Generated<Flag>;
    /** The words of the name and of the publisher, by which searches rank. */
    name_words: Generated<string>;
    publisher_words: Generated<string>;
    /** The numbers of the lists that the app is in. */
    lists_json: Generated<string>;
  };
  search_lists: { id: Generated<number>; key: string; apps: number };
  search_postings: { list_id: number; place: number };
  search_spellings: { spelling: string; word: string };
  used_blobs: { sha256: string };
  doomed_blobs: { sha256: string; doomed_at: string };
  blob_owner: { id: number; name: string };
  marks: { subject: string; marked_at: string };
  relay_entries: { state_hash: string; sealed: string | null; network: string; expires_at: string };
  /** What the store keeps to itself, by what it is for. */
  store_secrets: { name: string; secret: string };
  /** Who may sign up, publish and read, as an administrator chose: a row for each rule. */
  access_rules: { rule: string; choice: string };
  /** How an app does, listed or not: `stars_4` is how many gave it four stars. */
  app_figures: { app_id: string; installs: number } & Record<StarsColumn, number>;
  /** Installations of an app; the hash is over both. */
  installs: {
    id_hash: string;
    app_id: string;
    /** The version that was fetched last. */
    version: string;
    /** Whether it counts: of one network not all do. */
    counted: Flag;
    /** Whose it is, once a person rated with it. */
    person_id: string | null;
  };
  /** What was fetched on a day, for as long as it may be fetched again on that day. */
  install_days: { day: string; id_hash: string; version: string };
  /** How many installations came from a network on a day; without an app, of all apps. */
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
    /** Whether a moderator hid it; whether its writer is suspended. It is shown, and counts, when it is neither. */
    hidden: Generated<Flag>;
    withheld: Generated<Flag>;
    /** What the moderator said. */
    note: Generated<string>;
    /** Since when a moderator should look. */
    waiting_since: string | null;
    /** When its writer took back what was hidden: the text is gone, and that it was hidden is not. */
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
    action: string;
    app_id: string | null;
    version: string | null;
    publisher: string | null;
    token_id: string | null;
    address: string | null;
    request_id: string | null;
    detail_json: string;
  };
  /** The apps that administrators feature, by their place from 0. */
  featured_apps: { app_id: string; place: number };
  listing_categories: { app_id: string; category: string; updated_at: string; hidden: Generated<Flag> };
};

export type Database = Kysely<Tables>;
