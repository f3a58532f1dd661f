import { isForMembers, needsProof, ROUTES, type Route, type RouteName } from '@svc/contracts';
import { DEEP } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { STOPPED_BY } from '../apps/store/src/core/domain/identity/suspension.ts';
import { TABLE } from './roles/table.ts';
import { type Ask, openWorld, ROLES, type Role, STATES, sharing, type World } from './roles/world.ts';

/** The status of success, or the error code of a refusal, also for a page. */
async function answerOf(response: Response) {
  if (response.status < 400) return response.status;
  const text = await response.text();
  return text.startsWith('{') ? (JSON.parse(text) as { code: string }).code : codeOfPage(response.status);
}

/** The error code for the status of a page, which shows a sentence instead of a code. */
const codeOfPage = (status: number): string | number =>
  ({ 400: 'invalid_request', 401: 'unauthorized', 403: 'forbidden', 404: 'not_found' })[status] ?? status;

async function answersOf(world: World, name: RouteName, roles: readonly Role[] = ROLES) {
  const answers: [Role, unknown][] = [];
  // Sequentially: one role must not affect the result of the next.
  for (const role of roles) {
    const ask = await TABLE[name].ask(world, role);
    answers.push([role, await answerOf(await world.ask(role, ask))]);
  }
  return Object.fromEntries(answers);
}

const NAMES = Object.keys(TABLE) as RouteName[];
const isRead = (name: RouteName): boolean => ROUTES[name].method === 'get';

describe('the result of each role', () => {
  it.each(NAMES.filter((name) => !isRead(name)))('%s', async (name) => {
    const world = await openWorld();
    expect(await answersOf(world, name)).toEqual(TABLE[name].answers);
  });
});

/** Roles without a session or a valid token. */
const OUTSIDERS: readonly Role[] = ['nobody', 'suspended'];

it('has the expected result for each role on every read route with SVC_READ=members', DEEP, async () => {
  const world = sharing(await openWorld({ SVC_READ: 'members' }));
  const names = NAMES.filter(isRead);
  const answers: Record<string, unknown> = {};
  for (const name of names) answers[name] = await answersOf(world, name);
  // Members get the same as in an open store; others are refused, or redirected to sign in.
  const expected = names.map((name) => {
    const route: Route = ROUTES[name];
    const refusal = route.page ? 303 : 'unauthorized';
    const outside = isForMembers(route) ? OUTSIDERS.map((role) => [role, refusal]) : [];
    return [name, { ...TABLE[name].answers, ...Object.fromEntries(outside) }];
  });
  expect(answers).toEqual(Object.fromEntries(expected));
});

it('has the expected result for each role on every read route', async () => {
  const world = sharing(await openWorld());
  const names = NAMES.filter(isRead);
  const answers: Record<string, unknown> = {};
  for (const name of names) answers[name] = await answersOf(world, name);
  expect(answers).toEqual(Object.fromEntries(names.map((name) => [name, TABLE[name].answers])));
});

/** What a state gets from a route: the refusal for what it has not proved, or null where it is not refused for that. */
function refusalOf(name: RouteName, state: Role): string | number | null {
  const route: Route = ROUTES[name];
  if (state === 'recovered') return TABLE[name].answers.suspended;
  const isAdministrators = route.auth === 'admin' || route.auth === 'moderator';
  if (isAdministrators !== (state === 'staleAdministrator')) return null;
  const isRefused = state === 'unverified' ? route.provenAddress : needsProof(route);
  if (!isRefused) return null;
  if (!route.page) return state === 'unverified' ? 'email_unverified' : 'reauthentication_required';
  // A page leads to the sign-in page and back; a form is answered with a page that says why.
  return route.method === 'get' && state !== 'unverified' ? 303 : 'forbidden';
}

describe('what a user has proved', () => {
  it('is required by all changes of moderators and administrators, except those that decide or write about one case', () => {
    const without = NAMES.filter((name) => {
      const route: Route = ROUTES[name];
      return ['admin', 'moderator'].includes(route.auth) && !isRead(name) && !needsProof(route);
    });
    expect(without.sort()).toEqual([
      'answerAppeal',
      'approve',
      'assignCase',
      'assignReview',
      'changeFeatured',
      'decideReports',
      'hideReview',
      'keepReview',
      'lockReview',
      'refuseEmergency',
      'refuseName',
      'reject',
      'unlockReview',
      'writeReviewMessage',
    ]);
  });

  it('decides, with an old proof, an unconfirmed address, or a session from before a recovery', async () => {
    const world = await openWorld({
      SVC_SMTP_URL: 'smtp://127.0.0.1:1',
      SVC_MAIL_FROM: 'store@store.test',
    });
    for (const name of NAMES.filter((known) => (ROUTES[known] as Route).auth !== 'none')) {
      const states = STATES.filter((state) => refusalOf(name, state) !== null);
      const expected = Object.fromEntries(states.map((state) => [state, refusalOf(name, state)]));
      expect([name, await answersOf(world, name, states)]).toEqual([name, expected]);
    }
  });
});

const SIGNED_IN = ['person', 'member', 'owner', 'moderator', 'administrator', 'stranger'] as const;

/** The role of a signed-in user for whom a route succeeds, with a body, which the store reads after it has admitted the request. */
function actorOf(name: RouteName): (typeof SIGNED_IN)[number] | undefined {
  const route: Route = ROUTES[name];
  if (route.method === 'get' || route.auth === 'none' || !(route.body || route.form)) return undefined;
  return SIGNED_IN.find((role) => {
    const answer = TABLE[name].answers[role];
    return typeof answer === 'number' && answer < 400;
  });
}

it('refuses every change of a session that ends after the request was admitted', async () => {
  const world = await openWorld();
  // The MAC in the form of answerDevice is already that of another session.
  const names = NAMES.filter((name) => actorOf(name) !== undefined && name !== 'answerDevice');
  expect(names.length).toBeGreaterThan(30);
  for (const name of names) {
    const role = actorOf(name) as Role;
    const ask = await TABLE[name].ask(world, role);
    expect([name, await world.askUntilEnded(role, ask)]).toEqual([name, 401]);
  }
});

/** Routes that do not find the apps of a suspended publisher. */
const HIDDEN: readonly RouteName[] = [
  'appPreview',
  'appHead',
  'registryVersions',
  'registryVersion',
  'registryVersionsV0',
  'registryVersionV0',
  'toolRecord',
  'bundle',
  'files',
  'readmePicture',
  'reviews',
  'myReview',
  'flagReview',
];

/** Routes that say that the apps of a suspended publisher were stopped. */
const STOPPED: readonly RouteName[] = [
  'appDetail',
  'appFeed',
  'appPage',
  'oembed',
  'publisherFeed',
  'publisherPage',
  'publisherPreview',
];

/** Routes of moderators for versions in review: those of a suspended publisher are not in review. */
const OUT_OF_QUEUE: readonly RouteName[] = [
  'lockReview',
  'unlockReview',
  'assignReview',
  'writeReviewMessage',
];

/** What a route that shows apps answers once they are stopped. */
function whenStopped(name: RouteName, usual: number): string | number {
  if (STOPPED.includes(name)) return (ROUTES[name] as Route).page ? 410 : 'stopped';
  return HIDDEN.includes(name) ? 'not_found' : usual;
}

/** What a role gets from a route that acts for a suspended publisher. */
function whileSuspended(name: RouteName, role: Role): string | number {
  const usual = TABLE[name].answers[role as (typeof ROLES)[number]];
  const route: Route = ROUTES[name];
  const refusal = route.page ? 'forbidden' : 'publisher_suspended';
  if (role === 'token' && route.auth !== 'none') return refusal;
  const isRefused = role === 'owner' || (typeof usual === 'number' && name !== 'yank');
  if (isRefused && STOPPED_BY[name]?.includes('publisher') && usual !== 'forbidden') return refusal;
  if (name === 'reply' || name === 'writeReview') return 'not_found';
  if (typeof usual !== 'number') return usual;
  if (name === 'changeFeatured') return 'invalid_request';
  if (OUT_OF_QUEUE.includes(name)) return 'already_handled';
  return whenStopped(name, usual);
}

/** Routes about the publishers and apps of a store; a suspended publisher changes nothing about the accounts of its members. */
const isAboutAccounts = (name: RouteName): boolean =>
  /^\/(?:api\/people|sign|setup|reset|forgotten|confirm)/.test(ROUTES[name].path);

describe('a suspended publisher', () => {
  it('is refused on every route that the table of suspensions names, with sessions and with tokens', async () => {
    const world = await openWorld();
    const shared = sharing(world);
    const suspend = (suspended: boolean) =>
      world.given('PATCH', '/api/admin/publishers/acme', { suspended, reason: 'It sends notes.' });
    const roles = ['owner', 'token', 'administrator'] as const;
    const all: Record<string, unknown> = {};
    const table: Record<string, unknown> = {};
    for (const name of NAMES.filter((known) => !isAboutAccounts(known))) {
      const asks: [Role, Ask][] = [];
      for (const role of roles) asks.push([role, await TABLE[name].ask(isRead(name) ? shared : world, role)]);
      await suspend(true);
      const answers: [Role, unknown][] = [];
      for (const [role, ask] of asks) answers.push([role, await answerOf(await world.ask(role, ask))]);
      await suspend(false);
      all[name] = Object.fromEntries(answers);
      table[name] = Object.fromEntries(roles.map((role) => [role, whileSuspended(name, role)]));
    }
    expect(all).toEqual(table);
  });
});
