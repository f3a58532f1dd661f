import type { Generated, Kysely } from 'kysely';

/** Yes or no, as both SQLite and PostgreSQL keep it. */
export type Flag = 0 | 1;

/** A yes or no, as it is kept. */
export const flag = (value: boolean): Flag => (value ? 1 : 0);

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
    /** When the website was last looked at, and since when the proof has been missing. */
    checked_at: string | null;
    missing_since: string | null;
  };
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
    locked_by: string | null;
    locked_until: string | null;
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
  listings: {
    app_id: string;
    version: string;
    name: string;
    name_key: string;
    search_text: string;
    first_published_at: string;
    updated_at: string;
    installs: number;
    rating_average: number;
    rating_count: number;
  };
  used_blobs: { sha256: string };
  doomed_blobs: { sha256: string; doomed_at: string };
  blob_owner: { id: number; name: string };
  marks: { subject: string; marked_at: string };
  relay_entries: { state_hash: string; sealed: string | null; network: string; expires_at: string };
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
  listing_categories: { app_id: string; category: string };
};

export type Database = Kysely<Tables>;
