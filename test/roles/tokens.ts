import { everybody, get, owners, people, peoplePage, type Rows, unknown } from './answers.ts';

const MY_TOKENS = '/api/people/me/tokens';
const ACME = '/api/publishers/acme';

/** A workflow of GitHub. */
const workflowOf = (name: string) => ({
  appId: 'com.example.traded',
  issuer: 'https://token.actions.githubusercontent.com',
  repository: `ann/${name}`,
  repositoryId: '1',
  ownerId: '2',
  workflow: 'release.yml',
});

/** Developer tokens, and device sign-in. */
export const tokensRows = {
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
  trustedPublishers: { ask: get(`${ACME}/trusted-publishers`), answers: owners(200) },
  addTrustedPublisher: {
    ask: (_world, role) => ({ method: 'POST', path: `${ACME}/trusted-publishers`, json: workflowOf(role) }),
    answers: owners(201),
  },
  removeTrustedPublisher: {
    ask: async (world, role) => {
      const id = await world.own('owner', `${ACME}/trusted-publishers`, workflowOf(`removed-${role}`));
      return { method: 'DELETE', path: `${ACME}/trusted-publishers/${id}` };
    },
    answers: owners(200),
  },
  setPublishingRules: {
    ask: async (world) => ({
      method: 'PUT',
      path: `${ACME}/apps/${(await world.waiting()).appId}/publishing`,
      json: { trustedOnly: true, confirm: false },
    }),
    answers: owners(200),
  },
  exchangeIdToken: {
    ask: () => ({
      method: 'POST',
      path: '/api/developer/ci/token',
      json: { idToken: 'none', publisher: 'acme', appId: 'com.example.app' },
    }),
    answers: everybody('invalid_request'),
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
  findDevice: {
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
} satisfies Rows;
