import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StoreHealth } from '@svc/contracts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { watchSites } from '../../src/composition/watched-services.ts';
import { createOutages } from '../../src/platform/outages.ts';
import { CLIENT } from '../support/open-id.ts';
import { beginAt, openStoreAt } from '../support/store-with-providers.ts';
import { ADMIN_TOKEN, jsonOf, openTestStore, type TestStore } from '../support/test-store.ts';

const servicesOf = async (store: TestStore) =>
  (await jsonOf<StoreHealth>(store.admin('GET', '/api/admin/health'))).services;
const serviceOf = async (store: TestStore, service: string) =>
  (await servicesOf(store)).find(({ name }) => name === service);
const metricOf = async (store: TestStore, part: string) =>
  (await (await store.call('GET', '/metrics', { token: ADMIN_TOKEN })).text())
    .split('\n')
    .find((line) => line.startsWith(`svc_part_ready{part="${part}"}`));

/** A provider of this machine that answers, answers 502, or does not answer at all. */
async function openProvider() {
  let mode: 'answers' | 'fails' | 'hangs' = 'answers';
  const server: Server = createServer((request, response) => {
    if (mode === 'hangs') return;
    if (mode === 'fails') return void response.writeHead(502).end();
    const issuer = `http://${request.headers.host}`;
    const endpoints = { authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ issuer, ...endpoints, jwks_uri: `${issuer}/keys` }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    settings: { id: 'acme', label: 'Acme', type: 'openid', issuer, ...CLIENT },
    become: (next: typeof mode) => {
      mode = next;
    },
  };
}

describe('a sign-in provider that is down', () => {
  const NAME = 'sign-in provider acme';

  it('is named by Health, the metrics, the sign-in page and the answers, while the store is ready', async () => {
    const provider = await openProvider();
    const store = await openStoreAt({}, provider.settings);
    await store.checkServices();
    expect(await serviceOf(store, NAME)).toEqual({ name: NAME, ok: true, since: null, failures: 0 });
    provider.become('fails');
    await store.checkServices();
    const since = store.clock().toISOString();
    expect(await serviceOf(store, NAME)).toEqual({ name: NAME, ok: false, since, failures: 1 });
    expect(await metricOf(store, NAME)).toMatch(/ 0$/);
    expect((await store.call('GET', '/readyz')).status).toBe(200);
    const page = await (await store.call('GET', '/sign-in')).text();
    expect(page).toContain('Acme cannot be reached at the moment.');
    provider.become('answers');
    await store.checkServices();
    expect(await serviceOf(store, NAME)).toMatchObject({ ok: true });
    expect(await (await store.call('GET', '/sign-in')).text()).not.toContain('cannot be reached');
  });

  it('is named by each sign-in, and by one line of the log a minute', async () => {
    const provider = await openProvider();
    const store = await openStoreAt({}, provider.settings);
    provider.become('fails');
    for (let n = 0; n < 20; n += 1) {
      const { answer } = await beginAt(store, 'acme');
      expect(answer.status).toBe(503);
      expect(await answer.text()).toContain('Acme cannot be reached: try again in 10 seconds.');
    }
    const about = store.lines.filter((line) => line.includes('cannot be reached'));
    expect(about.length).toBeLessThanOrEqual(2);
    expect(about.join()).not.toContain('    at ');
  });

  it('does not keep users waiting for its timeout once it is known', async () => {
    const provider = await openProvider();
    const store = await openStoreAt({}, provider.settings);
    provider.become('fails');
    await store.checkServices();
    provider.become('hangs');
    const { answer } = await beginAt(store, 'acme');
    expect(await answer.text()).toContain('Acme cannot be reached: try again in 10 seconds.');
    expect(store.lines.join()).toContain('No answer within 2000 ms.');
  });
});

describe('other services that are down', () => {
  it('are named: the mail server, before any mail waits for it', async () => {
    const store = await openTestStore({
      environment: { SVC_SMTP_URL: 'smtp://127.0.0.1:9', SVC_MAIL_FROM: 'svc@example.com' },
    });
    await store.checkServices();
    expect(await serviceOf(store, 'mail server')).toMatchObject({ ok: false, failures: 1 });
    expect(await metricOf(store, 'mail server')).toMatch(/ 0$/);
    expect(store.lines.join()).toContain('The mail server cannot be reached.');
  });

  it('are named: websites and receivers, when none was reached three times in a row; a missing proof is an answer', async () => {
    let fault = 'There is no such name (NXDOMAIN)';
    const answer = async () => ({ fault });
    const log = { info() {}, warn() {}, error() {} };
    const outages = createOutages({ log, clock: () => new Date() });
    const given = { isPrivate: async () => false, txt: answer, file: answer, post: answer };
    const sites = watchSites(outages, given);
    const askAll = async () => {
      await sites.txt('example.com');
      await sites.file('example.com', '/');
      await sites.post('https://example.com/hook', {}, '');
    };
    const down = () => outages.list().flatMap(({ name, ok }) => (ok ? [] : [name]));
    for (let n = 0; n < 3; n += 1) await askAll();
    expect(down()).toEqual([]);
    fault = 'The name server did not answer in time';
    for (let n = 0; n < 3; n += 1) await askAll();
    expect(down()).toEqual(['websites of publishers', 'receivers of webhooks']);
  });
});
