import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AuditPage, LIMITS, type Policy } from '@svc/contracts';
import { sampleBundle } from '@svc/testkit';
import { afterAll } from 'vitest';
import { endAccess } from '../../apps/store/src/core/domain/identity/end-access.ts';
import { hashSecret } from '../../apps/store/src/platform/secret.ts';
import {
  ADMIN_TOKEN,
  jsonOf,
  openTestStore,
  type TestSession,
  type TestStore,
} from '../../apps/store/test/support/test-store.ts';

/** All roles. `suspended` owns a publisher and was suspended with an open session. */
export const ROLES = [
  'nobody',
  'person',
  'stranger',
  'member',
  'owner',
  'moderator',
  'administrator',
  'suspended',
  'token',
  'automation',
] as const;
/**
 * Sessions in other states: of a user with an unconfirmed email address; of an owner and of an administrator who proved their identity
 * too long ago; of an owner from before the account was recovered.
 */
export const STATES = ['unverified', 'stale', 'staleAdministrator', 'recovered'] as const;
type State = (typeof STATES)[number];

export type Role = (typeof ROLES)[number] | State;

export type Ask = {
  method: string;
  path: string;
  json?: unknown;
  bytes?: Uint8Array;
  form?: Record<string, string>;
};

/** An existing version, and its paths. */
export type Ref = { appId: string; version: string; path: string; review: string };

const refOf = (appId: string): Ref => {
  const at = `apps/${appId}/versions/1.0.0`;
  return { appId, version: '1.0.0', path: `/api/${at}`, review: `/api/moderation/${at}` };
};

/**
 * Fills a store with a user for each role: the publisher `acme` is verified and has an owner and a member, whose token has every scope;
 * `stranger` owns `other`. @returns their sessions, and the token
 */
async function populate(store: TestStore) {
  const given = store.admin;
  const before = (ms: number) => new Date(store.clock().getTime() - ms).toISOString();
  await given('POST', '/api/admin/publishers', { slug: 'acme', name: 'Acme', verified: true });
  await given('POST', '/api/admin/publishers', { slug: 'other', name: 'Other', verified: true });
  const sessions: Partial<Record<Role, TestSession>> = {
    person: await store.signedIn('person'),
    stranger: await store.signedIn('stranger', { membership: { other: 'owner' } }),
    member: await store.signedIn('member', { membership: { acme: 'member' } }),
    owner: await store.signedIn('owner', { membership: { acme: 'owner' } }),
    moderator: await store.signedIn('moderator', { role: 'moderator' }),
    administrator: await store.signedIn('administrator', { role: 'administrator' }),
    suspended: await store.signedIn('suspended', { membership: { acme: 'owner' } }),
    unverified: await store.signedIn('unverified', { membership: { acme: 'owner' } }),
    stale: await store.signedIn('stale', { membership: { acme: 'owner' } }),
    staleAdministrator: await store.signedIn('staleAdministrator', { role: 'administrator' }),
    recovered: await store.signedIn('recovered', { membership: { acme: 'owner' } }),
  };
  await store.stores.people.change('suspended', { suspended: true });
  await store.stores.people.change('unverified', { emailVerified: false });
  for (const state of ['stale', 'staleAdministrator'] as const) {
    const [session] = await store.stores.sessions.of(state, store.clock().toISOString());
    await store.stores.sessions.prove(state, session?.id ?? '', before(LIMITS.people.proofMs + 1), false);
  }
  await endAccess(store.stores, { id: 'recovered', emailVerified: true }, store.clock().toISOString(), (id) =>
    store.hooks.endAccess(store.stores, id),
  );
  const member = sessions.member as TestSession;
  const made = await store.call('POST', '/api/people/me/tokens', { session: member, json: { name: 'mine' } });
  const { token } = await jsonOf<{ token: string }>(made);
  return { sessions, token };
}

/** The data folder of a populated store, which is copied for each test: to populate one takes twenty times as long. */
let template: Promise<{ folder: string } & Awaited<ReturnType<typeof populate>>> | undefined;

async function makeTemplate() {
  const store = await openTestStore();
  const people = await populate(store);
  await store.close();
  const folder = await mkdtemp(join(tmpdir(), 'svc-roles-'));
  await cp(store.folder, folder, { recursive: true });
  return { folder, ...people };
}

afterAll(async () => {
  if (template) await rm((await template).folder, { recursive: true });
});

/** A store of its own with the users of `populate`. */
export async function openWorld(environment: Record<string, string> = {}) {
  template ??= makeTemplate();
  const { sessions, token, ...made } = await template;
  const folder = await mkdtemp(join(tmpdir(), 'svc-store-'));
  await cp(made.folder, folder, { recursive: true });
  const store = await openTestStore({ folder, environment });
  const given = store.admin;
  const owner = sessions.owner as TestSession;
  let apps = 0;

  /** Uploads an app of acme, which stays in review. */
  async function waiting(): Promise<Ref> {
    apps += 1;
    const appId = `com.example.app-${apps}`;
    const bytes = sampleBundle({ id: appId, name: `App ${apps}`, publisher: 'acme' });
    const headers = { 'content-type': 'application/zip' };
    const body = bytes as Uint8Array<ArrayBuffer>;
    const answer = await store.call('POST', '/api/apps/publish', { token: ADMIN_TOKEN, body, headers });
    if (answer.status !== 201) throw new Error(await answer.text());
    return refOf(appId);
  }

  /** Publishes an app of acme. */
  async function published(): Promise<Ref> {
    const ref = await waiting();
    await given('POST', `${ref.review}/approve`, {});
    return ref;
  }

  /** Publishes an app of acme with a review of another user. @param answered whether acme has replied to the review */
  async function rated({ answered = false } = {}) {
    const { appId, path } = await published();
    const session = await store.signedIn('critic');
    const installId = `installation-of-${appId}`;
    await store.call('GET', `${path}/bundle`, { session, headers: { 'x-svc-install-id': installId } });
    const json = { rating: 2, installId };
    const made = await store.call('PUT', `/api/apps/${appId}/reviews/mine`, { session, json });
    const { id } = (await jsonOf<{ review: { id: string } }>(made)).review;
    const reviews = `/api/apps/${appId}/reviews`;
    const reply = { session: owner, json: { body: 'Thank you.' } };
    if (answered) await store.call('PUT', `${reviews}/${id}/reply`, reply);
    return { id, reviews, installId };
  }

  /** Publishes an app of acme, and yanks it. */
  async function yanked(): Promise<Ref> {
    const ref = await published();
    await given('POST', `${ref.path}/yank`, { reason: 'It lost notes.' });
    return ref;
  }

  /** Creates something as a role. @returns its id, or an unknown id if the role may not create it */
  async function own(role: Role, path: string, json: object): Promise<string> {
    const session = sessions[role];
    if (!session) return 'nothing';
    const made = await store.call('POST', path, { session, json });
    return made.status === 201 ? (await jsonOf<{ id: string }>(made)).id : 'nothing';
  }

  /** Creates an invitation to acme. */
  async function invitation() {
    const made = await store.call('POST', '/api/publishers/acme/invitations', {
      session: owner,
      json: { role: 'member' },
    });
    return jsonOf<{ id: string; url: string }>(made);
  }

  /** An emergency that yanked every version of other. */
  async function emergency() {
    const acts = { suspend: false, revokeTokens: false, endSessions: false };
    const json = { publisher: 'other', reason: 'It lost notes.', ...acts };
    return jsonOf<{ id: string }>(given('POST', '/api/admin/emergencies', json));
  }

  /** The id of a decision: the rejection of a version of acme. */
  async function decision(): Promise<string> {
    const { appId, review } = await waiting();
    await given('POST', `${review}/reject`, { note: 'It does not answer.' });
    const [entry] = (
      await jsonOf<AuditPage>(given('GET', `/api/admin/audit?action=version.reject&appId=${appId}`))
    ).entries;
    return String(entry?.detail.decision);
  }

  /** The id of a decision that acme has appealed. */
  async function appealed(): Promise<string> {
    const id = await decision();
    const json = { text: 'It answers now.' };
    await store.call('POST', `/api/publishers/acme/decisions/${id}/messages`, { session: owner, json });
    return id;
  }

  /** A change of the policy, from its newest version. */
  async function policy() {
    const { version: from, intro, rules } = await jsonOf<Policy>(store.call('GET', '/api/policy'));
    return { from, intro, rules, note: 'Clearer words.' };
  }

  let names = 0;

  /** Requests a new name for acme, which needs a decision because acme is verified. */
  async function askedName(): Promise<string> {
    names += 1;
    const name = `Acme ${'x'.repeat(names)}`;
    await store.call('PATCH', '/api/publishers/acme', { session: owner, json: { name } });
    return name;
  }

  /** The codes of a pending device sign-in. */
  const device = () =>
    jsonOf<{ deviceCode: string; userCode: string }>(store.call('POST', '/api/developer/device/start'));

  /** Sends a request as a role, with the CSRF token that a page would send. */
  function ask(role: Role, { method, path, json, bytes, form }: Ask): Promise<Response> {
    const session = sessions[role];
    const csrf = session?.csrf ?? '';
    return store.call(method, path, {
      ...(session && { session }),
      ...(role === 'token' && { token }),
      ...(role === 'automation' && { token: ADMIN_TOKEN }),
      ...(json !== undefined && { json }),
      ...(bytes && {
        body: bytes as Uint8Array<ArrayBuffer>,
        headers: { 'content-type': 'application/zip' },
      }),
      ...(form && {
        body: new URLSearchParams({ ...form, csrf }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    });
  }

  /** Sends a request in a session of its own, which ends when the store begins to read the body. @returns the status */
  async function askUntilEnded(role: Role, { method, path, json, form }: Ask): Promise<number> {
    const { personId, cookie, csrf } = await store.signedIn(role);
    const found = await store.stores.sessions.find(hashSecret(cookie.split('=')[1] ?? ''));
    const text = form ? new URLSearchParams({ ...form, csrf }).toString() : JSON.stringify(json);
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          await store.stores.sessions.end(personId, found?.session.id ?? '');
          controller.enqueue(new TextEncoder().encode(text));
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const type = form ? 'application/x-www-form-urlencoded' : 'application/json';
    const session = { personId, cookie, csrf };
    return (await store.call(method, path, { session, body, headers: { 'content-type': type } })).status;
  }

  return {
    store,
    sessions,
    askUntilEnded,
    owner,
    given,
    waiting,
    published,
    rated,
    yanked,
    own,
    invitation,
    decision,
    appealed,
    policy,
    emergency,
    askedName,
    device,
    ask,
  };
}

export type World = Awaited<ReturnType<typeof openWorld>>;

/** The world for routes that only read: it makes each thing once, and gives it to every route. */
export function sharing(world: World): World {
  const waiting = once(world.waiting);
  const published = once(world.published);
  const rated = once(world.rated);
  const decision = once(world.decision);
  const appealed = once(world.appealed);
  return { ...world, waiting, published, rated: () => rated(), decision, appealed };
}

/** Calls a function at most once. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
