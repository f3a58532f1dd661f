import { administrators, administratorsPage, get, type Rows } from './answers.ts';

const CHOICES = { which: 'all', apps: [], categories: [], how: 'all', grants: [] };
const reason = { reason: 'It lost notes.' };

/** Routes of administrators. */
export const administrationRows = {
  createPublisher: {
    ask: (_world, role) => ({
      method: 'POST',
      path: '/api/admin/publishers',
      json: { slug: `made-by-${role}`, name: `Made by ${role}` },
    }),
    answers: administrators(201),
  },
  putAccess: {
    ask: () => ({ method: 'PUT', path: '/api/admin/access', json: { publishers: 'open' } }),
    answers: administrators(200),
  },
  putBrand: {
    ask: () => ({ method: 'PUT', path: '/api/admin/brand', json: { name: null } }),
    answers: administrators(200),
  },
  changePublisher: {
    ask: () => ({ method: 'PATCH', path: '/api/admin/publishers/acme', json: { verified: true } }),
    answers: administrators(200),
  },
  putPublisher: {
    ask: (_world, role) => ({
      method: 'PUT',
      path: `/api/admin/publishers/put-by-${role}`,
      json: { name: `Put by ${role}` },
    }),
    answers: administrators(200),
  },
  nameRequests: { ask: get('/api/admin/name-requests'), answers: administrators(200) },
  approveName: {
    ask: async (world) => ({
      method: 'POST',
      path: '/api/admin/name-requests/acme/approve',
      json: { name: await world.askedName() },
    }),
    answers: administrators(200),
  },
  refuseName: {
    ask: async (world) => ({
      method: 'POST',
      path: '/api/admin/name-requests/acme/refuse',
      json: { name: await world.askedName(), note: 'It is the name of another.' },
    }),
    answers: administrators(200),
  },
  publisherAccess: { ask: get('/api/admin/publishers/acme/access'), answers: administrators(200) },
  expelMember: {
    ask: async ({ store }, role) => {
      await store.signedIn(`expelled-by-${role}`, { membership: { acme: 'member' } });
      return { method: 'DELETE', path: `/api/admin/publishers/acme/members/expelled-by-${role}` };
    },
    answers: administrators(200),
  },
  personTokens: { ask: get('/api/admin/people/member/tokens'), answers: administrators(200) },
  revokeAnyToken: {
    ask: async (world) => {
      const id = await world.own('owner', '/api/publishers/acme/tokens', { name: 'builds' });
      return { method: 'DELETE', path: `/api/admin/tokens/${id}` };
    },
    answers: administrators(200),
  },
  changePolicy: {
    ask: async (world) => {
      const policy = await world.policy();
      return { method: 'PUT', path: '/api/admin/policy', json: policy };
    },
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
      json: { suspended: true, ...reason },
    }),
    answers: administrators(200),
  },
  featuredApps: { ask: get('/api/admin/featured'), answers: administrators(200) },
  changeFeatured: {
    ask: async (world) => ({
      method: 'PUT',
      path: '/api/admin/featured',
      json: { apps: [(await world.published()).appId] },
    }),
    answers: administrators(200),
  },
  auditDelivery: { ask: get('/api/admin/audit-delivery'), answers: administrators(200) },
  upstreams: { ask: get('/api/admin/upstreams'), answers: administrators(200) },
  offeredUpstream: {
    ask: get('/api/admin/upstreams/offer?address=https%3A%2F%2Fstore.test'),
    answers: administrators('invalid_request'),
  },
  addUpstream: {
    ask: () => ({
      method: 'POST',
      path: '/api/admin/upstreams',
      json: { address: 'https://store.test', keyId: 'k', choices: CHOICES },
    }),
    answers: administrators('invalid_request'),
  },
  changeUpstream: {
    ask: () => ({ method: 'PATCH', path: '/api/admin/upstreams/none', json: { choices: CHOICES } }),
    answers: administrators('not_found'),
  },
  removeUpstream: {
    ask: () => ({ method: 'DELETE', path: '/api/admin/upstreams/none' }),
    answers: administrators('not_found'),
  },
  upstreamApps: { ask: get('/api/admin/upstreams/none/apps'), answers: administrators('not_found') },
  searchUpstream: {
    ask: get('/api/admin/upstreams/none/search?q=notes'),
    answers: administrators('not_found'),
  },
  storeManagedSettings: { ask: get('/api/admin/managed-settings'), answers: administrators(200) },
  changeManagedSettings: {
    ask: () => ({
      method: 'PUT',
      path: '/api/admin/managed-settings',
      json: { settings: { exportChats: false } },
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
  publishers: { ask: get('/api/admin/publishers'), answers: administrators(200) },
  apps: { ask: get('/api/admin/apps'), answers: administrators(200) },
  previewEmergency: {
    ask: get('/api/admin/emergencies/preview?publisher=acme'),
    answers: administrators(200),
  },
  emergencies: { ask: get('/api/admin/emergencies'), answers: administrators(200) },
  startEmergency: {
    ask: () => ({
      method: 'POST',
      path: '/api/admin/emergencies',
      json: { publisher: 'acme', ...reason, suspend: false, revokeTokens: false, endSessions: false },
    }),
    answers: administrators(201),
  },
  // It was carried out at once, as one administrator is enough.
  confirmEmergency: {
    ask: async (world) => ({
      method: 'POST',
      path: `/api/admin/emergencies/${(await world.emergency()).id}/confirm`,
    }),
    answers: { ...administrators('already_handled'), automation: 'forbidden' },
  },
  refuseEmergency: {
    ask: async (world) => ({
      method: 'POST',
      path: `/api/admin/emergencies/${(await world.emergency()).id}/refuse`,
      json: reason,
    }),
    answers: administrators('already_handled'),
  },
  undoEmergency: {
    ask: async (world) => ({
      method: 'POST',
      path: `/api/admin/emergencies/${(await world.emergency()).id}/undo`,
      json: reason,
    }),
    answers: administrators(200),
  },
  settingsInForce: { ask: get('/api/admin/settings'), answers: administrators(200) },
  storeHealth: { ask: get('/api/admin/health'), answers: administrators(200) },
  // The pages are not built for these tests.
  adminPage: { ask: get('/admin'), answers: administratorsPage('not_found') },
  adminSubpage: { ask: get('/admin/people'), answers: administratorsPage('not_found') },
  auditLog: { ask: get('/api/admin/audit'), answers: administrators(200) },
  metrics: { ask: get('/metrics'), answers: administrators(200) },
  people: { ask: get('/api/admin/people'), answers: administrators(200) },
  changePerson: {
    ask: () => ({ method: 'PATCH', path: '/api/admin/people/person', json: { role: 'person' } }),
    answers: administrators(200),
  },
  makeResetLink: {
    ask: () => ({ method: 'POST', path: '/api/admin/people/person/reset-link' }),
    answers: administrators(201),
  },
  addPerson: {
    ask: (_world, role) => ({
      method: 'POST',
      path: '/api/admin/people',
      json: { name: 'Added', email: `added-by-${role}@example.com` },
    }),
    answers: administrators(201),
  },
  accessPage: { ask: get('/setup/access'), answers: administratorsPage(200) },
  brandPage: { ask: get('/setup/brand'), answers: administratorsPage(200) },
  chooseBrand: {
    ask: () => ({ method: 'POST', path: '/setup/brand', form: { name: 'Acme Apps' } }),
    answers: { ...administrators(303), automation: 'forbidden' },
  },
  chooseAccess: {
    ask: () => ({ method: 'POST', path: '/setup/access', form: { read: 'public' } }),
    // A form: automation has no CSRF token, and uses settings instead.
    answers: { ...administrators(303), automation: 'forbidden' },
  },
} satisfies Rows;
