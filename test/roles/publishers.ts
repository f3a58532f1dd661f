import {
  administrators,
  everybody,
  get,
  owners,
  people,
  peoplePage,
  type Row,
  type Rows,
} from './answers.ts';

const ACME = '/api/publishers/acme';

/** For members of acme, in a browser; others get not found. */
const acting = (answer: number) => ({ ...people('not_found'), member: answer, owner: answer });

/** A path below an app of acme in review. */
const ofApp =
  (rest: string): Row['ask'] =>
  async (world) => ({ method: 'GET', path: `${ACME}/apps/${(await world.waiting()).appId}${rest}` });

const HOOK = { url: 'https://receiver.example.com/hook' };

/** For owners of acme; others get not found. */
const ownersAlone = { ...people('not_found'), member: 'forbidden', owner: 200 };

/** Publishers, their members, invitations and webhooks. */
export const publishersRows = {
  createOwnPublisher: {
    ask: (_world, role) => ({
      method: 'POST',
      path: '/api/publishers',
      json: { slug: `own-${role}`, name: `Own ${role}` },
    }),
    answers: people(201),
  },
  ownPublishers: { ask: get('/api/publishers'), answers: people(200) },
  installChart: { ask: ofApp('/installs'), answers: acting(200) },
  publisherDetail: { ask: get(ACME), answers: acting(200) },
  ownApps: { ask: get(`${ACME}/apps`), answers: acting(200) },
  ownApp: { ask: ofApp(''), answers: acting(200) },
  ownVersions: { ask: ofApp('/versions'), answers: acting(200) },
  ownVersion: { ask: ofApp('/versions/1.0.0'), answers: acting(200) },
  ownPicture: { ask: ofApp('/versions/1.0.0/pictures/icon'), answers: acting(200) },
  compareVersions: { ask: ofApp('/diff?from=1.0.0&to=1.0.0'), answers: acting(200) },
  editPublisher: {
    ask: () => ({ method: 'PATCH', path: ACME, json: { name: 'Acme' } }),
    answers: owners(200),
  },
  // It has no website to verify.
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
  events: { ask: get('/api/events'), answers: everybody(200) },
  webhooks: { ask: get('/api/webhooks?publisher=acme'), answers: owners(200) },
  addWebhook: {
    ask: () => ({ method: 'POST', path: '/api/webhooks?publisher=acme', json: HOOK }),
    answers: owners(201),
  },
  removeWebhook: {
    ask: async (world) => {
      const id = await world.own('owner', '/api/webhooks?publisher=acme', HOOK);
      return { method: 'DELETE', path: `/api/webhooks/${id}` };
    },
    answers: ownersAlone,
  },
  webhookDeliveries: {
    ask: async (world) => {
      const id = await world.own('owner', '/api/webhooks?publisher=acme', HOOK);
      return { method: 'GET', path: `/api/webhooks/${id}/deliveries` };
    },
    answers: ownersAlone,
  },
  // It has no event yet.
  redeliver: {
    ask: async (world) => {
      const id = await world.own('owner', '/api/webhooks?publisher=acme', HOOK);
      return { method: 'POST', path: `/api/webhooks/${id}/deliveries/1/redeliver` };
    },
    answers: { ...people('not_found'), member: 'forbidden' },
  },
  // It is not paused.
  resumeWebhook: {
    ask: async (world) => {
      const id = await world.own('owner', '/api/webhooks?publisher=acme', HOOK);
      return { method: 'POST', path: `/api/webhooks/${id}/resume` };
    },
    answers: { ...people('not_found'), member: 'forbidden', owner: 'already_handled' },
  },
  ownAppLife: { ask: ofApp('/life'), answers: acting(200) },
  setAppState: {
    ask: async (world) => ({
      method: 'PUT',
      path: `${ACME}/apps/${(await world.waiting()).appId}/life`,
      json: { delisted: true, deprecation: null },
    }),
    answers: owners(200),
  },
  deprecateVersion: {
    ask: async (world) => ({
      method: 'PUT',
      path: `${ACME}/apps/${(await world.waiting()).appId}/versions/1.0.0/deprecation`,
      json: { note: 'It loses notes.' },
    }),
    answers: owners(200),
  },
  depositReviewerAccount: {
    ask: async (world) => ({
      method: 'PUT',
      path: `${ACME}/apps/${(await world.waiting()).appId}/reviewer-account`,
      json: { token: 'for-reviewers' },
    }),
    answers: owners(200),
  },
  // None is deposited.
  removeReviewerAccount: {
    ask: async (world) => ({
      method: 'DELETE',
      path: `${ACME}/apps/${(await world.waiting()).appId}/reviewer-account`,
    }),
    answers: owners('not_found'),
  },
  offerApp: {
    ask: async (world) => ({
      method: 'PUT',
      path: `${ACME}/apps/${(await world.waiting()).appId}/offer`,
      json: { to: 'other' },
    }),
    answers: owners(200),
  },
  // A version of it is in review.
  deleteApp: {
    ask: async (world) => ({ method: 'DELETE', path: `${ACME}/apps/${(await world.waiting()).appId}` }),
    answers: owners('already_handled'),
  },
  appOffers: { ask: get(`${ACME}/offers`), answers: acting(200) },
  answerOffer: {
    ask: () => ({ method: 'POST', path: `${ACME}/offers/com.example.none`, json: { accept: true } }),
    answers: owners('not_found'),
  },
  // It has apps.
  deletePublisher: {
    ask: async (world) => {
      await world.waiting();
      return { method: 'DELETE', path: ACME };
    },
    answers: owners('already_handled'),
  },
  reassignApp: {
    ask: async (world) => ({
      method: 'POST',
      path: `/api/admin/apps/${(await world.published()).appId}/reassign`,
      json: { publisher: 'other', reason: 'It is their name.' },
    }),
    answers: administrators(200),
  },
  setMember: {
    ask: (_world, role) => ({
      method: 'PUT',
      path: `/api/admin/publishers/acme/members/${role === 'automation' ? 'stranger' : 'person'}`,
      json: { role: 'member' },
    }),
    answers: administrators(200),
  },
} satisfies Rows;
