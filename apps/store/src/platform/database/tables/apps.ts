import type { ReviewMessage } from '@svc/contracts';
import type { Generated } from 'kysely';
import type { Flag, Hidden, StarsColumn } from './columns.ts';

/** Apps, their versions, listings, figures and ratings. */
export type AppTables = {
  /** The looks of the names of listed apps, also with one letter less, and parts of those of their icons: apps that look alike share one. */
  app_looks: { look: string; app_id: string };
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
    /** Why new installs of an app of another store have stopped. */
    held: Generated<string | null>;
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
    /** The first of two persons, while the second is missing. */
    first_by: Generated<string | null>;
    /** What the first approved. */
    first_json: Generated<string | null>;
    /** The store that it comes from, and what that store signed; null when it was uploaded here. */
    origin_json: Generated<string | null>;
    /** Bytes of the zip and of its pictures; null when a program from before wrote it: then they are those of the zip. */
    stored_bytes: Generated<number | null>;
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
    /** Who approved first, where two persons decided. */
    first_by: Generated<string | null>;
  };
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
  /** Which listed apps require which others. */
  app_requirements: { requires: string; app_id: string };
  /** `reviewed_at`: when a moderator saw them; null before that. */
  tool_records: {
    app_id: string;
    version: string;
    source: string;
    recorded_at: string;
    tools_json: string;
    reviewed_at: string | null;
  };
  /** The checks of the servers of apps. `drift_since`: since when a change waits for a decision. */
  server_checks: { app_id: string; next_at: string; drift_since: string | null; state_json: string };
  /** The apps that administrators feature, by their place from 0. */
  featured_apps: { app_id: string; place: number };
  listing_categories: { app_id: string; category: string; updated_at: string; hidden: Generated<Hidden> };
};
