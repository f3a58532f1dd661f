import { serverNameOf } from '@svc/contracts';
import { sampleBundle } from '@svc/testkit';
import {
  type Answer,
  everybody,
  get,
  members,
  moderators,
  moderatorsPage,
  people,
  peoplePage,
  type Rows,
  visitors,
} from './answers.ts';
import type { World } from './world.ts';

const reason = { reason: 'It lost notes.' };

/** A published app as a server of the registry API. */
const server = (api: string, rest: string) => async (world: World) => {
  const { appId } = await world.published();
  return { method: 'GET', path: `${api}/servers/${encodeURIComponent(serverNameOf(appId))}${rest}` };
};

/** For members of acme, signed in. */
const decidedOf = (answer: Answer) => ({ ...people('not_a_member'), member: answer, owner: answer });

/** Routes of publishing, review, reading, and the store itself. */
export const appsRows = {
  catalog: { ask: get('/api/apps/catalog'), answers: everybody(200) },
  cataloguePage: { ask: get('/'), answers: everybody(200) },
  robots: { ask: get('/robots.txt'), answers: everybody(200) },
  llms: { ask: get('/llms.txt'), answers: everybody(200) },
  feed: { ask: get('/feeds/new.atom'), answers: everybody(200) },
  registryServers: { ask: get('/v0.1/servers'), answers: everybody(200) },
  registryVersions: { ask: server('/v0.1', '/versions'), answers: everybody(200) },
  registryVersion: { ask: server('/v0.1', '/versions/latest'), answers: everybody(200) },
  registryServersV0: { ask: get('/v0/servers'), answers: everybody(200) },
  registryVersionsV0: { ask: server('/v0', '/versions'), answers: everybody(200) },
  registryVersionV0: { ask: server('/v0', '/versions/latest'), answers: everybody(200) },
  openApiYaml: { ask: get('/openapi.yaml'), answers: everybody(200) },
  aiCatalog: { ask: get('/.well-known/ai-catalog.json'), answers: everybody(200) },
  policyFile: { ask: get('/policy/marketplace.json'), answers: everybody(200) },
  connectorPackage: { ask: get('/policy/npm/svc-connector'), answers: everybody(200) },
  connectorTarball: {
    ask: get('/policy/npm/svc-connector/-/svc-connector-1.0.0.tgz'),
    answers: everybody(200),
  },
  oembed: {
    ask: async (world) => {
      const { appId } = await world.published();
      return { method: 'GET', path: `/oembed?url=/apps/${appId}` };
    },
    answers: everybody(200),
  },
  logCheckpoint: {
    async ask({ store }) {
      await store.runJob('Publishing the log');
      return { method: 'GET', path: '/checkpoint' };
    },
    answers: everybody(200),
  },
  logTile: {
    async ask({ store }) {
      await store.runJob('Publishing the log');
      const size = Number((await (await store.call('GET', '/checkpoint')).text()).split('\n')[1]);
      return { method: 'GET', path: `/tile/entries/000${size < 256 ? `.p/${size}` : ''}` };
    },
    answers: everybody(200),
  },
  logProof: {
    async ask(world) {
      const { appId } = await world.published();
      return { method: 'GET', path: `/api/apps/${appId}/versions/1.0.0/log-proof` };
    },
    answers: everybody(200),
  },
  logCompare: {
    async ask({ store }) {
      await store.runJob('Publishing the log');
      const checkpoint = await (await store.call('GET', '/checkpoint')).text();
      return { method: 'GET', path: `/api/log/compare?checkpoint=${encodeURIComponent(checkpoint)}` };
    },
    answers: everybody(200),
  },
  categoryPage: { ask: get('/categories/media'), answers: everybody(200) },
  appPage: {
    ask: async (world) => ({ method: 'GET', path: `/apps/${(await world.published()).appId}` }),
    answers: everybody(200),
  },
  publisherPage: {
    ask: async (world) => {
      await world.published();
      return { method: 'GET', path: '/publishers/acme' };
    },
    answers: everybody(200),
  },
  cataloguePreview: { ask: get('/preview.png'), answers: everybody(200) },
  appPreview: {
    ask: async (world) => ({ method: 'GET', path: `/apps/${(await world.published()).appId}/preview.png` }),
    answers: everybody(200),
  },
  publisherPreview: {
    ask: async (world) => {
      await world.published();
      return { method: 'GET', path: '/publishers/acme/preview.png' };
    },
    answers: everybody(200),
  },
  appDetail: {
    ask: async (world) => ({ method: 'GET', path: `/api/apps/${(await world.published()).appId}` }),
    answers: everybody(200),
  },
  deprecations: {
    ask: async (world) => ({
      method: 'GET',
      path: `/api/apps/deprecations?apps=${(await world.published()).appId}`,
    }),
    answers: everybody(200),
  },
  bundle: {
    ask: async (world) => ({ method: 'GET', path: `${(await world.published()).path}/bundle` }),
    answers: everybody(200),
  },
  versionOrigin: {
    ask: async (world) => ({ method: 'GET', path: `${(await world.published()).path}/origin` }),
    answers: everybody('not_found'),
  },
  attestation: {
    ask: async (world) => ({ method: 'GET', path: `${(await world.published()).path}/attestation` }),
    answers: everybody('not_found'),
  },
  files: {
    ask: async (world) => ({
      method: 'GET',
      path: `${(await world.published()).path}/files/assets/icon.png`,
    }),
    answers: everybody(200),
  },
  readmePicture: {
    ask: async (world) => ({
      method: 'GET',
      path: `${(await world.published()).path}/readme/assets/board.png`,
    }),
    answers: everybody('not_found'),
  },
  versionStatus: {
    ask: async (world) => ({ method: 'GET', path: `${(await world.waiting()).path}/status` }),
    answers: everybody(200),
  },
  publicKey: { ask: get('/api/apps/public-key'), answers: everybody(200) },
  publicKeys: { ask: get('/api/apps/public-keys'), answers: everybody(200) },
  managedSettings: { ask: get('/api/managed-settings'), answers: everybody(200) },
  revocations: { ask: get('/api/apps/revocations'), answers: everybody(200) },
  revocationHead: { ask: get('/api/revocations/head'), answers: everybody(200) },
  revocationSegment: {
    ask: get(`/api/revocations/segments/${'0'.repeat(64)}`),
    answers: everybody('not_found'),
  },
  appHead: {
    ask: async (world) => ({ method: 'GET', path: `/api/apps/${(await world.published()).appId}/head` }),
    answers: everybody(200),
  },
  relayCallback: {
    ask: (_world, role) => ({
      method: 'GET',
      path: `/apps/oauth/callback?state=${role.padEnd(22, '-')}&code=c`,
    }),
    answers: everybody(200),
  },
  relayDigits: {
    ask: () => ({ method: 'POST', path: '/apps/oauth/digits', form: { ticket: 'none', digits: '000' } }),
    answers: visitors(200),
  },
  relayClient: { ask: get('/apps/oauth/client.json'), answers: everybody(200) },
  relayResult: { ask: get(`/api/apps/oauth/result?state=${'s'.repeat(22)}`), answers: everybody(200) },
  openApi: { ask: get('/api/openapi.json'), answers: everybody(200) },
  storeFacts: { ask: get('/api/store'), answers: everybody(200) },
  health: { ask: get('/healthz'), answers: everybody(200) },
  ready: { ask: get('/readyz'), answers: everybody(200) },
  manifestSchema: { ask: get('/schemas/app-manifest-v3.json'), answers: everybody(200) },
  docsIndex: { ask: get('/docs'), answers: everybody(200) },
  docsPage: { ask: get('/docs/operating'), answers: everybody(200) },
  codes: { ask: get('/docs/codes'), answers: everybody(200) },
  code: { ask: get('/docs/codes/remote.url'), answers: everybody(200) },
  docs: { ask: get('/api/docs'), answers: everybody(200) },
  // The pages are not built for these tests.
  cliPage: { ask: get('/cli'), answers: everybody('not_found') },
  download: { ask: get('/downloads/none.zip'), answers: everybody('not_found') },
  cliTarball: { ask: get('/cli.tgz'), answers: everybody('not_found') },
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
  recordTools: {
    ask: async (world) => ({
      method: 'PUT',
      path: `${(await world.waiting()).path}/served-tools`,
      json: { tools: [] },
    }),
    answers: members(201),
  },
  toolRecord: {
    ask: async (world) => ({ method: 'GET', path: `${(await world.published()).path}/tools` }),
    answers: everybody('not_found'),
  },
  serverDrifts: { ask: get('/api/moderation/drift'), answers: moderators(200) },
  acceptDrift: {
    ask: async (world) => ({
      method: 'POST',
      path: `/api/moderation/apps/${(await world.published()).appId}/drift/accept`,
      json: { checkedAt: '2026-01-01T00:00:00.000Z' },
    }),
    answers: moderators('already_handled'),
  },
  yank: {
    ask: async (world) => ({ method: 'POST', path: `${(await world.published()).path}/yank`, json: reason }),
    answers: { ...members(200), moderator: 200, administrator: 200 },
  },
  conversation: {
    ask: async (world) => ({ method: 'GET', path: `${(await world.waiting()).path}/messages` }),
    answers: members(200),
  },
  writeMessage: {
    ask: async (world) => ({
      method: 'POST',
      path: `${(await world.waiting()).path}/messages`,
      json: { text: 'It serves pictures.' },
    }),
    answers: members(201),
  },
  sitemap: { ask: get('/sitemap.xml'), answers: everybody(200) },
  sitemapPart: { ask: get('/sitemaps/1'), answers: everybody(200) },
  // No contact is named.
  securityTxt: { ask: get('/.well-known/security.txt'), answers: everybody('not_found') },
  appFeed: {
    ask: async (world) => ({ method: 'GET', path: `/feeds/apps/${(await world.published()).appId}.atom` }),
    answers: everybody(200),
  },
  publisherFeed: {
    ask: async (world) => {
      await world.published();
      return { method: 'GET', path: '/feeds/publishers/acme.json' };
    },
    answers: everybody(200),
  },
  reviewClock: { ask: get('/api/review-clock'), answers: everybody(200) },
  // It waits for no confirmation.
  confirmVersion: {
    ask: async (world) => ({
      method: 'POST',
      path: `${(await world.waiting()).path}/confirm`,
      json: { sha256: 'a'.repeat(64) },
    }),
    answers: {
      ...members('already_handled'),
      token: 'forbidden',
      automation: 'forbidden',
    },
  },
  retractVersion: {
    ask: async (world) => ({ method: 'POST', path: `${(await world.waiting()).path}/withdraw` }),
    answers: members(200),
  },

  moderationQueue: { ask: get('/api/moderation/queue'), answers: moderators(200) },
  policy: { ask: get('/api/policy'), answers: everybody(200) },
  policyPage: { ask: get('/policy'), answers: everybody(200) },
  transparency: { ask: get('/api/transparency'), answers: everybody(200) },
  transparencyPage: { ask: get('/transparency'), answers: everybody(200) },
  decisions: { ask: get('/api/publishers/acme/decisions'), answers: decidedOf(200) },
  appeal: {
    ask: async (world) => ({
      method: 'POST',
      path: `/api/publishers/acme/decisions/${await world.decision()}/messages`,
      json: { text: 'The server was down for an hour.' },
    }),
    answers: decidedOf(201),
  },
  openAppeals: { ask: get('/api/moderation/appeals'), answers: moderators(200) },
  answerAppeal: {
    ask: async (world) => ({
      method: 'POST',
      path: `/api/moderation/appeals/${await world.appealed()}/messages`,
      json: { text: 'Which hour?' },
    }),
    answers: moderators(201),
  },
  decideAppeal: {
    ask: async (world) => ({
      method: 'POST',
      path: `/api/moderation/appeals/${await world.appealed()}/decide`,
      json: { outcome: 'reversed', note: 'It works now.' },
    }),
    answers: moderators(200),
  },
  moderators: { ask: get('/api/moderation/moderators'), answers: moderators(200) },
  moderationPage: { ask: get('/moderation'), answers: moderatorsPage('not_found') },
  moderationSubpage: { ask: get('/moderation/apps/a/versions/1.0.0'), answers: moderatorsPage('not_found') },
  cannedReasons: { ask: get('/api/moderation/reasons'), answers: moderators(200) },
  review: {
    ask: async (world) => ({ method: 'GET', path: (await world.waiting()).review }),
    answers: moderators(200),
  },
  reviewBundle: {
    ask: async (world) => ({ method: 'GET', path: `${(await world.waiting()).review}/bundle` }),
    answers: moderators(200),
  },
  reviewPanel: {
    ask: async (world) => ({ method: 'GET', path: `${(await world.waiting()).review}/panels/none` }),
    answers: moderators('not_found'),
  },
  reviewIcon: {
    ask: async (world) => ({ method: 'GET', path: `${(await world.waiting()).review}/icon` }),
    answers: moderators(200),
  },
  reviewPicture: {
    ask: async (world) => ({
      method: 'GET',
      path: `${(await world.waiting()).review}/files/assets/icon.png`,
    }),
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
  assignReview: {
    ask: async (world) => ({
      method: 'PUT',
      path: `${(await world.waiting()).review}/assignment`,
      json: { to: null },
    }),
    answers: moderators(200),
  },
  caseAssignments: { ask: get('/api/moderation/cases'), answers: moderators(200) },
  assignCase: {
    ask: async (world) => ({
      method: 'PUT',
      path: `/api/moderation/cases/appeal/${await world.appealed()}/assignment`,
      json: { to: null },
    }),
    answers: moderators(200),
  },
  caseHistory: { ask: get('/api/moderation/history'), answers: moderators(200) },
  reviewConversation: {
    ask: async (world) => ({ method: 'GET', path: `${(await world.waiting()).review}/messages` }),
    answers: moderators(200),
  },
  writeReviewMessage: {
    ask: async (world) => ({
      method: 'POST',
      path: `${(await world.waiting()).review}/messages`,
      json: { text: 'What is the domain for?', requestChanges: true },
    }),
    answers: moderators(201),
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
} satisfies Rows;
