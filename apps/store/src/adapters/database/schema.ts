import type { Generated, Kysely } from 'kysely';

/** Yes or no, as both SQLite and PostgreSQL keep it. */
export type Flag = 0 | 1;

/** The tables. Text holds JSON where a name ends in `_json`; times are ISO 8601 in UTC, so that text order is time order. */
export type Tables = {
  publishers: {
    slug: string;
    name: string;
    website: string | null;
    verified: Flag;
    suspended: Flag;
    created_at: string;
  };
  tokens: {
    hash: string;
    id: string;
    publisher: string;
    scopes_json: string;
    created_at: string;
    expires_at: string;
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
  upload_marks: { developer: string; marked_at: string };
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
