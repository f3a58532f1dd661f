import { sampleManifest } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { migrate } from '../../src/adapters/database/migrations.ts';
import { openSqlite } from '../../src/adapters/sqlite/open-sqlite.ts';
import { findSession } from '../../src/core/domain/identity/session.ts';
import { jobMover } from '../../src/core/domain/versions/changes.ts';
import { endOf, isActive, isLinkValid, SKEW_MS, TERMS, type Term } from '../../src/platform/terms.ts';
import { bodyOf, openTestStore, type TestStore } from '../support/test-store.ts';

const DAY_MS = 24 * 3_600_000;
const AHEAD_MS = 40 * DAY_MS;

/**
 * Every column with a time that has no maximum term: the time of a past event. The store does not wait for such a time, or its
 * comment says what limits the wait.
 */
const RECORDED: readonly string[] = [
  'app_figures.installs',
  'apps.created_at',
  'audit_log.at',
  'device_codes.created_at',
  // The minimum of five seconds between two polls ignores future times.
  'device_codes.polled_at',
  'appeal_messages.written_at',
  'decisions.answered_at',
  'decisions.appealed_at',
  // An appeal ends 90 days after it: a future time leaves longer.
  'decisions.decided_at',
  'policies.published_at',
  'emergencies.decided_at',
  'emergencies.started_at',
  'emergencies.undone_at',
  'reports.decided_at',
  'reports.reported_at',
  // Only makes a publish check again whether its blobs exist.
  'doomed_blobs.doomed_at',
  'name_requests.asked_at',
  'identities.created_at',
  'identities.added_at',
  'install_counts.day',
  'install_days.day',
  'install_networks.day',
  'invitations.created_at',
  'listing_categories.updated_at',
  'listings.first_published_at',
  'listings.updated_at',
  'mails.created_at',
  // `RateLimitStore.within` does not count future times.
  'marks.marked_at',
  'members.since',
  // A future time makes an owner new for longer.
  'members.owner_since',
  'members.added_at',
  'passkeys.created_at',
  'passkeys.last_used_at',
  'passwords.set_at',
  'passwords.changed_at',
  'people.created_at',
  'people.recovered_at',
  // A future time leaves tokens without a confirmation for longer: the next answer of the provider replaces it.
  'provider_checks.confirmed_at',
  'retired_names.retired_at',
  'publishers.created_at',
  // A check that finds a future time starts over.
  'publishers.missing_since',
  'rating_flags.decided_at',
  'rating_flags.flagged_at',
  'log_state.begun_at',
  // A later change is later than it, also with a clock that was set back.
  'audit_delivery.delivered_at',
  'managed_settings.changed_at',
  'upstreams.added_at',
  'upstreams.reached_at',
  'upstreams.read_until',
  'upstreams.failing_since',
  'carried_apps.checked_at',
  'ratings.created_at',
  'ratings.removed_at',
  'ratings.reply_created_at',
  'ratings.reply_updated_at',
  'ratings.updated_at',
  'ratings.waiting_since',
  'review_messages.sent_at',
  'reviewer_accounts.deposited_at',
  'server_checks.drift_since',
  'tool_records.recorded_at',
  'tool_records.reviewed_at',
  'scim_groups.changed_at',
  'scim_groups.created_at',
  'scim_users.changed_at',
  'scim_users.created_at',
  'sessions.created_at',
  'sessions.last_seen_at',
  // `isFresh` does not accept a time from the future.
  'sessions.proved_at',
  'tokens.created_at',
  // A token lives longer by the time that the clock was ahead. Its owner sees the expiry, and the store does not wait for it.
  'tokens.expires_at',
  'tokens.last_used_at',
  'tokens.revoked_at',
  'trusted_publishers.created_at',
  'trusted_publishers.last_used_at',
  'version_moves.moved_at',
  'webhooks.created_at',
  'webhooks.disabled_at',
  // A time from the future pauses later, and never loses an event.
  'webhooks.failing_since',
  'webhooks.paused_at',
  // Says only that a turn runs: its end is `next_at`, which has a term.
  'webhooks.turn_until',
  'webhook_deliveries.created_at',
  'webhook_deliveries.tried_at',
  // The time since an answer is awaited; the store does not wait for it.
  'versions.changes_requested_at',
  'versions.published_at',
  'versions.submitted_at',
];

async function timeColumns(): Promise<string[]> {
  const db = openSqlite(':memory:');
  await migrate(db);
  const tables = await db.introspection.getTables();
  await db.destroy();
  return tables.flatMap(({ name, columns }) =>
    columns
      .filter((column) => /(^|_)(at|until|since|day)$/.test(column.name))
      .map((column) => `${name}.${column.name}`),
  );
}

describe('the columns with times', () => {
  it('all have a maximum term, or record a past event', async () => {
    const known = new Set<string>([...Object.keys(TERMS), ...RECORDED]);
    expect((await timeColumns()).filter((column) => !known.has(column))).toEqual([]);
  });
});

describe('an expiry', () => {
  const now = new Date('2026-03-01T12:00:00.000Z');
  const at = (ms: number) => new Date(now.getTime() + ms).toISOString();

  it.each(Object.keys(TERMS) as Term[])(
    'of %s is valid until its time, and never later than its maximum term',
    (term) => {
      expect(isActive(term, endOf(term, now), now.toISOString())).toBe(true);
      expect(isActive(term, at(TERMS[term] + SKEW_MS), now.toISOString())).toBe(true);
      expect(isActive(term, at(TERMS[term] + SKEW_MS + 1), now.toISOString())).toBe(false);
      expect(isActive(term, at(0), now.toISOString())).toBe(false);
    },
  );

  it('of a link is checked in the same way', () => {
    expect(isLinkValid(now.getTime() + 1, 1_000, now)).toBe(true);
    expect(isLinkValid(now.getTime(), 1_000, now)).toBe(false);
    expect(isLinkValid(now.getTime() + AHEAD_MS, 1_000, now)).toBe(false);
    expect(isLinkValid(Number.NaN, 1_000, now)).toBe(false);
  });
});

/** A store whose clock was forty days ahead during some action, and was corrected afterwards. */
async function wasAhead(during: (store: TestStore, token: string) => Promise<void>) {
  const store = await openTestStore();
  const token = await store.publisherToken('example', true);
  await store.publish(token);
  store.advance(AHEAD_MS);
  await during(store, token);
  store.advance(-AHEAD_MS);
  return { store, token };
}

const REF = { appId: 'com.example.notes', version: '1.0.0' };

describe('an action while the clock was forty days ahead', () => {
  it('does not consume the current quota', async () => {
    const { store, token } = await wasAhead(async ({ publish }, theirs) => {
      for (let n = 0; n < 25; n += 1) await publish(theirs, { version: 'x' });
      expect((await publish(theirs)).status).toBe(429);
    });
    expect((await store.publish(token, { version: '1.1.0' })).status).toBe(201);
  });

  it('does not keep a version leased', async () => {
    const { store } = await wasAhead(async ({ stores, clock }) => {
      const mover = jobMover('checker', clock().toISOString());
      const lease = { by: 'a dead process', until: endOf('versions.lease_until', clock()) };
      await stores.versions.move(REF, { from: 'in_review', to: 'approved' }, { lease }, mover);
    });
    const { versions } = store.stores;
    const now = store.clock();
    expect(await versions.abandoned('approved', now.toISOString())).toEqual([REF]);
    const lease = { by: 'us', until: endOf('versions.lease_until', now) };
    expect(await versions.claim(REF, 'approved', lease, now.toISOString())).toBe(true);
    expect(await versions.abandoned('approved', now.toISOString())).toEqual([]);
  });

  it('does not keep a review locked', async () => {
    const path = `/api/moderation/apps/${REF.appId}/versions/${REF.version}/lock`;
    const { store } = await wasAhead(async (ahead) => {
      const session = await ahead.signedIn('ada', { role: 'moderator' });
      expect((await ahead.call('POST', path, { session })).status).toBe(200);
    });
    const session = await store.signedIn('bob', { role: 'moderator' });
    expect(await bodyOf(store.call('POST', path, { session }))).toMatchObject({
      httpStatus: 200,
      lock: { by: 'person:bob' },
    });
  });

  it('does not delay a mail', async () => {
    const { store } = await wasAhead(async ({ stores, clock }) => {
      const createdAt = clock().toISOString();
      const mail = { id: 'm', recipient: 'ada@example.com', createdAt, nextTryAt: createdAt, tries: 0 };
      await stores.mails.add({ ...mail, kind: 'confirm-email', detail: { person: 'ada' } } as never);
      expect(await stores.mails.claim(mail as never, endOf('mails.next_try_at', clock()))).toBe(true);
    });
    expect(await store.stores.mails.due(store.clock().toISOString(), 10)).toHaveLength(1);
  });

  it('creates no session beyond its maximum term, and ends no earlier session', async () => {
    const early = await openTestStore();
    const { cookie } = await early.signedIn('ada');
    early.advance(AHEAD_MS);
    const late = await early.signedIn('bob');
    early.advance(-AHEAD_MS);
    const find = (text: string) =>
      findSession({ sessions: early.stores.sessions, clock: early.clock }, text.split('=')[1] as string);
    expect((await find(cookie))?.person.id).toBe('ada');
    expect(await find(late.cookie)).toBeNull();
  });

  it('does not keep a page in the cache', async () => {
    const { store } = await wasAhead(async ({ call }) => {
      expect(await bodyOf(call('GET', '/api/apps/catalog'))).toMatchObject({ apps: [] });
    });
    await store.decide('approve', '1.0.0');
    const { apps } = await bodyOf(store.call('GET', '/api/apps/catalog'));
    expect(apps).toMatchObject([{ appId: sampleManifest().id }]);
  });

  it('does not slow down a device sign-in, which must start again', async () => {
    let deviceCode = '';
    const poll = (store: TestStore) =>
      bodyOf(store.call('POST', '/api/developer/device/poll', { json: { deviceCode } }));
    const { store } = await wasAhead(async (ahead) => {
      const started = await bodyOf(ahead.call('POST', '/api/developer/device/start', { json: {} }));
      deviceCode = started.deviceCode;
      expect(await poll(ahead)).toMatchObject({ pending: true });
    });
    expect(await poll(store)).toMatchObject({ httpStatus: 410, code: 'expired' });
    expect((await store.call('POST', '/api/developer/device/start', { json: {} })).status).toBe(200);
  });
});
