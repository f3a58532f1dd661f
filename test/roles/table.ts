import type { RouteName } from '@svc/contracts';
import { sampleBundle } from '@svc/testkit';
import type { Ask, Role, World } from './world.ts';

/** What somebody gets: the status of success, or the code of the refusal. */
export type Answer = number | string;

export type Row = {
  /** What is asked for, with all it needs made ready. */
  ask(world: World, role: Role): Promise<Ask> | Ask;
  answers: Record<Role, Answer>;
};

const everybody = (answer: Answer): Record<Role, Answer> => ({
  nobody: answer,
  person: answer,
  stranger: answer,
  member: answer,
  owner: answer,
  moderator: answer,
  administrator: answer,
  suspended: answer,
  token: answer,
  automation: answer,
});

/** Whoever was suspended is nobody any more. */
const unknown = { nobody: 'unauthorized', suspended: 'unauthorized' };

/** Those who have no page's token. */
const forgers = { nobody: 'forbidden', token: 'forbidden', automation: 'forbidden' };

/** For whoever is signed in; programs are told that it is for people. */
const people = (answer: Answer) => ({
  ...everybody(answer),
  ...unknown,
  token: 'forbidden',
  automation: 'forbidden',
});

/** As for people, but those who are not signed in are led to where one signs in. */
const peoplePage = (answer: Answer) => ({ ...people(answer), nobody: 303, suspended: 303 });

/** For those who act for acme. */
const members = (answer: Answer, refusal: Answer = 'not_a_member') => ({
  ...everybody(refusal),
  ...unknown,
  member: answer,
  owner: answer,
  token: answer,
  automation: answer,
});

/** For those who own acme, in a browser. */
const owners = (answer: Answer) => ({ ...people('not_a_member'), member: 'forbidden', owner: answer });

const ACME = '/api/publishers/acme';
const ME = '/api/people/me';
const MY_TOKENS = '/api/people/me/tokens';

const moderators = (answer: Answer) => ({
  ...everybody('forbidden'),
  ...unknown,
  moderator: answer,
  administrator: answer,
  automation: answer,
});

const administrators = (answer: Answer) => ({ ...moderators(answer), moderator: 'forbidden' });

/** For whoever looks at a page of the store, signed in or not: a program has shown no page's token. */
const visitors = (answer: Answer) => ({ ...everybody(answer), ...forgers });

const get = (path: string) => (): Ask => ({ method: 'GET', path });

const CREDENTIAL = { id: 'a', rawId: 'a', type: 'public-key', clientExtensionResults: {} };
const PASSKEY = {
  credential: { ...CREDENTIAL, response: { clientDataJSON: 'a', authenticatorData: 'a', signature: 'a' } },
};
const NEW_PASSKEY = {
  label: 'x',
  credential: { ...CREDENTIAL, response: { clientDataJSON: 'a', attestationObject: 'a' } },
};

const reason = { reason: 'It lost notes.' };

/** Every route of the store, and what each role gets from it. A route without a row does not compile. */
export const TABLE: Record<RouteName, Row> = {
  catalog: { ask: get('/api/apps/catalog'), answers: everybody(200) },
  appDetail: {
    ask: async (world) => ({ method: 'GET', path: `/api/apps/${(await world.published()).appId}` }),
    answers: everybody(200),
  },
  bundle: {
    ask: async (world) => ({ method: 'GET', path: `${(await world.published()).path}/bundle` }),
    answers: everybody(200),
  },
  files: {
    ask: async (world) => ({
      method: 'GET',
      path: `${(await world.published()).path}/files/assets/icon.png`,
    }),
    answers: everybody(200),
  },
  versionStatus: {
    ask: async (world) => ({ method: 'GET', path: `${(await world.waiting()).path}/status` }),
    answers: everybody(200),
  },
  publicKey: { ask: get('/api/apps/public-key'), answers: everybody(200) },
  publicKeys: { ask: get('/api/apps/public-keys'), answers: everybody(200) },
  revocations: { ask: get('/api/apps/revocations'), answers: everybody(200) },
  relayCallback: {
    ask: (_world, role) => ({
      method: 'GET',
      path: `/apps/oauth/callback?state=${role.padEnd(22, '-')}&code=c`,
    }),
    answers: everybody(200),
  },
  relayResult: { ask: get(`/api/apps/oauth/result?state=${'s'.repeat(22)}`), answers: everybody(200) },
  openApi: { ask: get('/api/openapi.json'), answers: everybody(200) },
  health: { ask: get('/healthz'), answers: everybody(200) },
  ready: { ask: get('/readyz'), answers: everybody(200) },
  manifestSchema: { ask: get('/schemas/app-manifest-v3.json'), answers: everybody(200) },
  codes: { ask: get('/docs/codes'), answers: everybody(200) },
  code: { ask: get('/docs/codes/remote.url'), answers: everybody(200) },
  docs: { ask: get('/api/docs'), answers: everybody(200) },
  // The pages are not built for these tests.
  checkPage: { ask: get('/check'), answers: everybody('not_found') },
  webAsset: { ask: get('/assets/nothing.js'), answers: everybody('not_found') },
  accountPage: { ask: get('/account'), answers: peoplePage('not_found') },
  accountSubpage: { ask: get('/account/tokens'), answers: peoplePage('not_found') },

  publish: {
    ask: (_world, role) => {
      const manifest = { id: `com.example.by-${role}`, name: `By ${role}`, publisher: 'acme' };
      return { method: 'POST', path: '/api/apps/publish', bytes: sampleBundle(manifest) };
    },
    answers: members(201),
  },
  yank: {
    ask: async (world) => ({ method: 'POST', path: `${(await world.published()).path}/yank`, json: reason }),
    answers: { ...members(200), moderator: 200, administrator: 200 },
  },
  withdraw: {
    ask: async (world) => ({ method: 'POST', path: `${(await world.waiting()).path}/withdraw` }),
    answers: members(200),
  },

  moderationQueue: { ask: get('/api/moderation/queue'), answers: moderators(200) },
  cannedReasons: { ask: get('/api/moderation/reasons'), answers: moderators(200) },
  review: {
    ask: async (world) => ({ method: 'GET', path: (await world.waiting()).review }),
    answers: moderators(200),
  },
  reviewBundle: {
    ask: async (world) => ({ method: 'GET', path: `${(await world.waiting()).review}/bundle` }),
    answers: moderators(200),
  },
  lockReview: {
    ask: async (world) => ({ method: 'POST', path: `${(await world.waiting()).review}/lock` }),
    answers: moderators(200),
  },
  unlockReview: {
    ask: async (world) => ({ method: 'DELETE', path: `${(await world.waiting()).review}/lock` }),
    answers: moderators(200),
  },
  approve: {
    ask: async (world) => ({ method: 'POST', path: `${(await world.waiting()).review}/approve`, json: {} }),
    answers: moderators(200),
  },
  reject: {
    ask: async (world) => ({
      method: 'POST',
      path: `${(await world.waiting()).review}/reject`,
      json: { note: 'It does nothing.' },
    }),
    answers: moderators(200),
  },

  createPublisher: {
    ask: (_world, role) => ({
      method: 'POST',
      path: '/api/admin/publishers',
      json: { slug: `made-by-${role}`, name: 'Made' },
    }),
    answers: administrators(201),
  },
  changePublisher: {
    ask: () => ({ method: 'PATCH', path: '/api/admin/publishers/acme', json: { verified: true } }),
    answers: administrators(200),
  },
  issueToken: {
    ask: () => ({ method: 'POST', path: '/api/admin/tokens', json: { publisher: 'acme' } }),
    answers: administrators(201),
  },
  changeApp: {
    ask: async (world) => ({
      method: 'PATCH',
      path: `/api/admin/apps/${(await world.waiting()).appId}`,
      json: { suspended: true },
    }),
    answers: administrators(200),
  },
  unyank: {
    ask: async (world) => {
      const { appId } = await world.yanked();
      return { method: 'POST', path: `/api/admin/apps/${appId}/versions/1.0.0/unyank`, json: reason };
    },
    answers: administrators(200),
  },
  auditLog: { ask: get('/api/admin/audit'), answers: administrators(200) },
  metrics: { ask: get('/metrics'), answers: administrators(200) },

  createOwnPublisher: {
    ask: (_world, role) => ({
      method: 'POST',
      path: '/api/publishers',
      json: { slug: `own-${role}`, name: 'Own' },
    }),
    answers: people(201),
  },
  ownPublishers: { ask: get('/api/publishers'), answers: people(200) },
  publisherDetail: { ask: get(ACME), answers: { ...people('not_found'), member: 200, owner: 200 } },
  editPublisher: {
    ask: () => ({ method: 'PATCH', path: ACME, json: { name: 'Acme' } }),
    answers: owners(200),
  },
  // It has no website to look at.
  verifyPublisher: {
    ask: () => ({ method: 'POST', path: `${ACME}/verify` }),
    answers: owners('invalid_request'),
  },
  changeMember: {
    ask: () => ({ method: 'PATCH', path: `${ACME}/members/member`, json: { role: 'member' } }),
    answers: owners(200),
  },
  removeMember: {
    ask: async ({ store }, role) => {
      await store.signedIn(`friend-of-${role}`, { membership: { acme: 'member' } });
      return { method: 'DELETE', path: `${ACME}/members/friend-of-${role}` };
    },
    answers: owners(200),
  },
  transferPublisher: {
    ask: () => ({ method: 'POST', path: `${ACME}/transfer`, json: { to: 'member' } }),
    answers: owners(200),
  },
  invite: {
    ask: () => ({ method: 'POST', path: `${ACME}/invitations`, json: { role: 'member' } }),
    answers: owners(201),
  },
  revokeInvitation: {
    ask: async (world) => ({
      method: 'DELETE',
      path: `${ACME}/invitations/${(await world.invitation()).id}`,
    }),
    answers: owners(200),
  },
  invitationPage: {
    ask: async (world) => ({ method: 'GET', path: new URL((await world.invitation()).url).pathname }),
    answers: peoplePage(200),
  },
  acceptInvitation: {
    ask: async (world) => ({
      method: 'POST',
      path: new URL((await world.invitation()).url).pathname,
      form: {},
    }),
    answers: { ...people(200), member: 409, owner: 409 },
  },
  setMember: {
    ask: (_world, role) => ({
      method: 'PUT',
      path: `/api/admin/publishers/acme/members/${role === 'automation' ? 'stranger' : 'person'}`,
      json: { role: 'member' },
    }),
    answers: administrators(200),
  },

  myTokens: { ask: get(MY_TOKENS), answers: people(200) },
  makeMyToken: {
    ask: () => ({ method: 'POST', path: MY_TOKENS, json: { name: 'laptop' } }),
    answers: people(201),
  },
  revokeMyToken: {
    ask: async (world, role) => {
      const id = await world.own(role, MY_TOKENS, { name: 'laptop' });
      return { method: 'DELETE', path: `${MY_TOKENS}/${id}` };
    },
    answers: people(200),
  },
  publisherTokens: { ask: get(`${ACME}/tokens`), answers: owners(200) },
  makePublisherToken: {
    ask: () => ({ method: 'POST', path: `${ACME}/tokens`, json: { name: 'builds' } }),
    answers: owners(201),
  },
  revokePublisherToken: {
    ask: async (world) => {
      const id = await world.own('owner', `${ACME}/tokens`, { name: 'builds' });
      return { method: 'DELETE', path: `${ACME}/tokens/${id}` };
    },
    answers: owners(200),
  },
  whoAmI: { ask: get('/api/developer/whoami'), answers: { ...everybody(200), ...unknown } },
  revokeThisToken: {
    ask: () => ({ method: 'DELETE', path: '/api/developer/token' }),
    answers: { ...everybody('forbidden'), ...unknown, token: 200 },
  },
  startDevice: {
    ask: () => ({ method: 'POST', path: '/api/developer/device/start' }),
    answers: everybody(200),
  },
  pollDevice: {
    ask: async (world) => {
      const { deviceCode } = await world.device();
      return { method: 'POST', path: '/api/developer/device/poll', json: { deviceCode } };
    },
    answers: everybody(200),
  },
  devicePage: { ask: get('/device'), answers: peoplePage(200) },
  lookAtDevice: {
    ask: async (world) => ({
      method: 'POST',
      path: '/device',
      form: { code: (await world.device()).userCode },
    }),
    answers: people(200),
  },
  answerDevice: {
    ask: async (world, role) => {
      const { userCode: code } = await world.device();
      const page = await world.ask(role, { method: 'POST', path: '/device', form: { code } });
      const seal = /name="seal" value="([^"]+)"/.exec(await page.text())?.[1] ?? 'none';
      const form = { code, seal, answer: 'approve', publisher: '', status: 'on' };
      return { method: 'POST', path: '/device/answer', form };
    },
    answers: people(200),
  },

  // What a visitor does before they are anybody needs the token of a page, which no test shows here to those who have none.
  signInPage: { ask: get('/sign-in'), answers: everybody(200) },
  signUpPage: { ask: get('/sign-up'), answers: everybody(200) },
  signIn: {
    ask: () => ({ method: 'POST', path: '/sign-in', form: { email: 'a@example.com', password: 'wrong' } }),
    answers: everybody('forbidden'),
  },
  signUp: {
    ask: (_world, role) => ({
      method: 'POST',
      path: '/sign-up',
      form: { name: role, email: `new-${role}@example.com`, password: 'correct horse battery' },
    }),
    answers: visitors(303),
  },
  signOut: { ask: () => ({ method: 'POST', path: '/sign-out', form: {} }), answers: visitors(303) },
  passkeySignInOptions: {
    ask: () => ({ method: 'POST', path: '/api/sign-in/passkey/options' }),
    answers: visitors(200),
  },
  passkeySignIn: {
    ask: () => ({ method: 'POST', path: '/api/sign-in/passkey', json: PASSKEY }),
    // Nobody has begun.
    answers: everybody('forbidden'),
  },
  beginProviderSignIn: { ask: get('/sign-in/nobody'), answers: everybody('not_found') },
  endProviderSignIn: { ask: get('/sign-in/nobody/callback'), answers: everybody('not_found') },
  resetPage: { ask: get('/reset?key=a.b.c'), answers: everybody('not_found') },
  reset: {
    ask: () => ({
      method: 'POST',
      path: '/reset',
      form: { key: 'a.b.c', password: 'correct horse battery' },
    }),
    answers: visitors('not_found'),
  },
  // The store sends no mail.
  forgottenPage: { ask: get('/forgotten'), answers: everybody('not_found') },
  forgotten: {
    ask: () => ({ method: 'POST', path: '/forgotten', form: { email: 'a@example.com' } }),
    answers: visitors('not_found'),
  },
  sendConfirmation: {
    ask: () => ({ method: 'POST', path: `${ME}/email/confirmation` }),
    answers: people('not_found'),
  },
  confirmPage: { ask: get('/confirm?key=a.b.c'), answers: everybody('not_found') },
  confirm: {
    ask: () => ({ method: 'POST', path: '/confirm', form: { key: 'a.b.c' } }),
    answers: visitors('not_found'),
  },
  // There is an administrator already.
  setupPage: { ask: get('/setup?key=abc'), answers: everybody('not_found') },
  setup: {
    ask: () => ({ method: 'POST', path: '/setup', form: { key: 'abc' } }),
    answers: visitors('not_found'),
  },

  me: { ask: get(ME), answers: people(200) },
  changeMe: { ask: () => ({ method: 'PATCH', path: ME, json: { name: 'New' } }), answers: people(200) },
  endSession: {
    ask: () => ({ method: 'DELETE', path: `${ME}/sessions/of-somebody-else` }),
    answers: people('not_found'),
  },
  endSessions: { ask: () => ({ method: 'DELETE', path: `${ME}/sessions` }), answers: people(200) },
  setPassword: {
    ask: () => ({ method: 'PUT', path: `${ME}/password`, json: { password: 'correct horse battery' } }),
    answers: people(200),
  },
  removePassword: { ask: () => ({ method: 'DELETE', path: `${ME}/password` }), answers: people('not_found') },
  passkeyOptions: { ask: () => ({ method: 'POST', path: `${ME}/passkeys/options` }), answers: people(200) },
  addPasskey: {
    ask: () => ({ method: 'POST', path: `${ME}/passkeys`, json: NEW_PASSKEY }),
    // Nobody has begun.
    answers: people('forbidden'),
  },
  renamePasskey: {
    ask: () => ({ method: 'PATCH', path: `${ME}/passkeys/of-somebody-else`, json: { label: 'x' } }),
    answers: people('not_found'),
  },
  removePasskey: {
    ask: () => ({ method: 'DELETE', path: `${ME}/passkeys/of-somebody-else` }),
    answers: people('not_found'),
  },
  linkIdentity: {
    ask: () => ({ method: 'POST', path: `${ME}/identities/nobody` }),
    answers: people('not_found'),
  },
  unlinkIdentity: {
    ask: () => ({ method: 'DELETE', path: `${ME}/identities/of-somebody-else` }),
    answers: people('not_found'),
  },
  people: { ask: get('/api/admin/people'), answers: administrators(200) },
  changePerson: {
    ask: () => ({ method: 'PATCH', path: '/api/admin/people/person', json: { role: 'person' } }),
    answers: administrators(200),
  },
  makeResetLink: {
    ask: () => ({ method: 'POST', path: '/api/admin/people/person/reset-link' }),
    answers: administrators(201),
  },
};
