/** The values of a table's columns. Each is an SQL expression over `i`, the row number from 1, that both databases support. */
type Filling = { rows: number; columns: Readonly<Record<string, string>> };

const text = (value: string) => `'${value}'`;
/** A text that sorts like its number. */
const named = (start: string, number = 'i') => `${text(start)} || (1000000 + ${number})`;
const share = (rows: number) => `(i % ${rows} + 1)`;

const PAST = text('2025-03-01T00:00:00.000Z');
const COME = text('2099-01-01T00:00:00.000Z');
const HASH = named('hash-');
const app = named('app.');
/** Of a thousand apps, ten are in review, ten are yanked, and five are rejected. */
const state = `case when i % 1000 < 10 then 'in_review' when i % 1000 < 20 then 'yanked'
  when i % 1000 < 25 then 'rejected' else 'published' end`;

/** Expressions for the owner of a row. */
type Owners = { slug: string; person: string };

const people = (apps: number, publishers: number, { slug, person }: Owners): Record<string, Filling> => ({
  people: {
    rows: apps,
    columns: {
      id: named('person-'),
      name: named('Name '),
      email: named('mail-'),
      role: `case when i = 1 then 'administrator' when i < 50 then 'moderator' else 'person' end`,
      created_at: named('2025-'),
    },
  },
  sessions: {
    rows: apps,
    columns: {
      hash: HASH,
      id: named('session-'),
      person_id: person,
      created_at: PAST,
      expires_at: COME,
      last_seen_at: PAST,
      agent: text(''),
    },
  },
  passwords: { rows: apps, columns: { person_id: person, hash: HASH, changed_at: PAST } },
  passkeys: {
    rows: apps,
    columns: {
      id: named('passkey-'),
      person_id: person,
      label: text(''),
      public_key: text(''),
      counter: '0',
      transports_json: text('[]'),
      created_at: PAST,
    },
  },
  identities: {
    rows: apps,
    columns: {
      id: named('identity-'),
      issuer: text('https://id.example'),
      subject: named('subject-'),
      person_id: person,
      label: text(''),
      created_at: PAST,
    },
  },
  provider_checks: {
    rows: apps,
    columns: {
      identity_id: named('identity-'),
      sealed: text('sealed'),
      confirmed_at: PAST,
      next_at: COME,
    },
  },
  case_assignments: {
    rows: apps,
    columns: { kind: text('appeal'), subject: named('appeal-'), assigned_to: text('person:ann') },
  },
  ceremonies: {
    rows: apps,
    columns: { hash: HASH, kind: text('provider'), expires_at: COME, detail_json: text('{}') },
  },
  invitations: {
    rows: apps,
    columns: {
      id: named('invitation-'),
      publisher: slug,
      role: text('member'),
      invited_by: person,
      created_at: PAST,
      expires_at: COME,
    },
  },
  tokens: {
    rows: apps,
    columns: {
      hash: HASH,
      id: named('token-'),
      kind: text('personal'),
      name: text(''),
      person_id: person,
      publisher: slug,
      scopes_json: text('[]'),
      created_at: PAST,
      expires_at: COME,
    },
  },
  device_codes: {
    rows: apps,
    columns: {
      device_hash: HASH,
      user_code_seal: named('seal-'),
      client: text(''),
      created_at: PAST,
      expires_at: COME,
      state: text('pending'),
      person_id: person,
      asked_json: text('{}'),
    },
  },
  marks: {
    rows: apps,
    columns: { subject: named('subject-', share(publishers)), marked_at: named('2025-') },
  },
  mails: {
    rows: 1_000,
    columns: {
      id: named('mail-'),
      recipient: text('a@b.example'),
      kind: text('invitation'),
      detail_json: text('{}'),
      created_at: PAST,
      next_try_at: COME,
    },
  },
  audit_log: {
    rows: 2 * apps,
    columns: {
      at: named('2025-'),
      actor: person,
      action: `case when i % 2 = 0 then 'version.submit' else 'version.publish' end`,
      app_id: named('app.', share(apps)),
      publisher: slug,
      detail_json: text('{}'),
    },
  },
});

const publishing = (apps: number, publishers: number, { slug, person }: Owners): Record<string, Filling> => ({
  publishers: {
    rows: publishers,
    columns: {
      slug: named('pub-'),
      name: named('Name '),
      created_at: PAST,
      look: named('pub-'),
      proof: text('p'),
      verified: 'i % 2',
      verified_by: `case when i % 2 = 1 then 'website' end`,
      checked_at: COME,
    },
  },
  name_keys: { rows: publishers, columns: { name_key: named('key-'), publisher: named('pub-') } },
  name_requests: {
    rows: 100,
    columns: { publisher: named('pub-'), name: text('N'), asked_by: named('person-'), asked_at: PAST },
  },
  members: {
    rows: publishers,
    columns: { publisher: named('pub-'), person_id: named('person-'), role: text('owner'), since: PAST },
  },
  apps: { rows: apps, columns: { app_id: app, publisher: slug, created_at: PAST } },
  versions: {
    rows: 2 * apps,
    columns: {
      app_id: `'app.' || (1000000 + (i + 1) / 2)`,
      version: `case when i % 2 = 0 then '1.1.0' else '1.0.0' end`,
      publisher: slug,
      state: `case when i % 2 = 1 then 'published' else ${state} end`,
      sha256: text('a'.repeat(64)),
      size: '1',
      manifest_json: text(
        '{"name":"N","description":"D","categories":[],"remote":{"mcpUrl":"https://a.example/mcp","domains":[]}}',
      ),
      readme: text(''),
      changelog: text(''),
      files_json: text('[]'),
      issues_json: text('[]'),
      submitted_at: named('2025-'),
      submitted_by: person,
      published_at: PAST,
      signature: text('s'),
      key_id: text('key-1'),
      name: text('N'),
      superseded: 'i % 2',
    },
  },
  version_moves: {
    rows: 2 * apps,
    columns: {
      app_id: `'app.' || (1000000 + (i + 1) / 2)`,
      version: `case when i % 2 = 0 then '1.1.0' else '1.0.0' end`,
      from_state: `case when i % 2 = 0 then 'published' else 'approved' end`,
      to_state: `case when i % 2 = 0 then ${state} else 'published' end`,
      moved_by: person,
      moved_at: named('2025-'),
    },
  },
  log_entries: {
    rows: 2 * apps,
    columns: {
      idx: 'i',
      kind: text('published'),
      app_id: `'app.' || (1000000 + (i + 1) / 2)`,
      version: `case when i % 2 = 0 then '1.1.0' else '1.0.0' end`,
      publisher: slug,
      entry: text('{}'),
    },
  },
  used_blobs: { rows: apps, columns: { sha256: HASH } },
  doomed_blobs: { rows: 100, columns: { sha256: HASH, doomed_at: PAST } },
});

const catalogue = (apps: number, publishers: number, { slug, person }: Owners): Record<string, Filling> => ({
  listings: {
    rows: apps,
    columns: {
      app_id: app,
      version: text('1.0.0'),
      name: named('Name '),
      name_key: named('name '),
      first_published_at: named('2025-'),
      updated_at: named('2025-'),
      installs: 'i',
      rating_weighted: 'i',
      publisher: slug,
      number: 'i',
      place: 'i',
      name_words: named('word'),
    },
  },
  listing_categories: {
    rows: apps,
    columns: {
      app_id: app,
      category: `case when i % 10 = 0 then 'media' else 'design' end`,
      updated_at: named('2025-'),
    },
  },
  search_lists: {
    rows: apps,
    columns: {
      key: `case when i = 1 then 'word:all' else ${named('word:')} end`,
      apps: `case when i = 1 then ${apps} else 2 end`,
    },
  },
  search_postings: {
    rows: 3 * apps,
    columns: {
      list_id: `case when i <= ${apps} then 1 else i / 3 end`,
      place: `case when i <= ${apps} then i else i end`,
    },
  },
  search_spellings: { rows: apps, columns: { spelling: named('spelt-'), word: named('word') } },
  app_figures: { rows: apps, columns: { app_id: app, stars_1: '9', stars_5: '9' } },
  installs: {
    rows: apps,
    columns: { id_hash: HASH, app_id: app, version: text('1.0.0'), counted: '1', person_id: person },
  },
  install_days: { rows: apps, columns: { day: text('2026-01-01'), id_hash: HASH, version: text('1.0.0') } },
  install_networks: {
    rows: apps,
    columns: { day: text('2026-01-01'), network_hash: HASH, app_id: app, installs: '1' },
  },
  install_counts: {
    rows: apps,
    columns: { app_id: app, day: text('2026-01-01'), version: text('1.0.0'), installs: '1', updates: '0' },
  },
  ratings: {
    rows: apps,
    columns: {
      id: named('rating-'),
      app_id: app,
      person_id: person,
      stars: 'i % 5 + 1',
      title: text(''),
      body: text(''),
      version: text('1.0.0'),
      created_at: PAST,
      updated_at: PAST,
      waiting_since: `case when i % 1000 = 0 then ${PAST} end`,
    },
  },
  rating_flags: {
    rows: apps,
    columns: {
      rating_id: named('rating-'),
      person_id: person,
      by_publisher: '0',
      reason: text('spam'),
      note: text(''),
      flagged_at: PAST,
    },
  },
  relay_entries: {
    rows: apps,
    columns: {
      state_hash: HASH,
      sealed: text('s'),
      network: named('net-', share(publishers)),
      browser: named('net-', share(publishers)),
      ticket_hash: named('ticket-'),
      confirmed: '0',
      tries: '0',
      expires_at: COME,
    },
  },
  relay_clients: {
    rows: apps,
    columns: {
      state_hash: HASH,
      network: named('net-', share(publishers)),
      site: named('net-', share(publishers)),
      expires_at: COME,
    },
  },
});

function tablesOf(apps: number): Record<string, Filling> {
  const publishers = apps / 5;
  const owners = { slug: named('pub-', share(publishers)), person: named('person-', share(apps)) };
  return Object.assign(
    {},
    ...[people, publishing, catalogue].map((tables) => tables(apps, publishers, owners)),
  );
}

/** Tables that grow with users and apps; not those with a single row. */
export const GROWING: readonly string[] = Object.keys(tablesOf(1));

/**
 * Statements that fill an empty, migrated database, with foreign keys disabled.
 * @param apps number of apps; the other tables get approximately as many rows
 */
export const fillStatements = (apps: number): string[] =>
  Object.entries(tablesOf(apps)).map(
    ([table, { rows, columns }]) =>
      `insert into ${table} (${Object.keys(columns).join(', ')})
       with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})
       select ${Object.values(columns).join(', ')} from n`,
  );
