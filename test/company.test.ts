import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiRequest } from '@svc/contracts/client';
import { DEEP, hasProgram, needs, sampleBundle } from '@svc/testkit';
import { findPrograms } from '@svc/testkit/postgres-files';
import { FAST_POSTGRES, type PostgresServer, startPostgres } from '@svc/testkit/postgres-server';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openIdProvider } from '../apps/store/test/support/open-id.ts';
import { throughPgBouncer } from '../apps/store/test/support/pgbouncer.ts';
import { beginAt, openStoreAt } from '../apps/store/test/support/store-with-providers.ts';
import { bodyOf, openTestStore } from '../apps/store/test/support/test-store.ts';
import { bundle, healthOf, idsOf, listOf, metric, release, yank } from '../apps/store/test/support/yanks.ts';
import { ROOT } from '../tools/release/targets.ts';
import { mayWalk, PROXIES, walkBehind } from './support/company/behind-proxy.ts';
import { failOver, openReplicated } from './support/company/failover.ts';
import { startFilledStore } from './support/filled-store.ts';
import { managedDesktop } from './support/managed-world.ts';

describe.each(PROXIES)('behind %s, a company', (proxy) => {
  const NEEDS = needs(mayWalk(proxy), `needs root, network namespaces, nginx, openssl, Ceph and ${proxy}`);
  it(
    'goes from nothing to a tool call on an internal app, and to the end of an access',
    { ...DEEP, ...NEEDS },
    () => walkBehind(proxy),
  );
});

const UNIT = join(ROOT, 'deploy/svc-store.service');

/** What systemd says of a unit with another text; empty where it understands every line. */
async function verified(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-unit-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const unit = join(folder, 'svc-store.service');
  await writeFile(unit, text);
  const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' });
  return stdout + stderr;
}

it(
  'the unit of the docs is one that systemd understands, also with the lines for a sign-in file',
  needs(hasProgram('systemd-analyze'), 'needs systemd-analyze'),
  async () => {
    const unit = readFileSync(UNIT, 'utf8');
    expect(await verified(unit)).toBe('');
    expect(await verified(unit.replace(/^#(?=\w+=.*sign-in)/gm, ''))).toBe('');
    expect(await verified(unit.replace('StateDirectory=', 'StateFolder='))).toContain('StateFolder');
  },
);

const MINUTE_MS = 60_000;

/** What only members may read. */
const PATH = '/api/apps/catalog';

/** A store for members with the defaults, and a member with all that groups give: a session, a role, a publisher and tokens. */
async function openCompany(environment: Record<string, string> = {}) {
  const accounts = {
    anna: {
      name: 'Anna',
      email: 'anna@acme.example',
      email_verified: true,
      groups: ['staff', 'team', 'mods'],
    },
  };
  const provider = await openIdProvider('acme', accounts);
  const groups = {
    allowed: ['staff'],
    roles: { mods: 'moderator' },
    publishers: { team: { slug: 'team', role: 'owner' } },
  };
  const store = await openStoreAt({ SVC_READ: 'members', ...environment }, { ...provider.settings, groups });
  await store.admin('POST', '/api/admin/publishers', { slug: 'team', name: 'Team' });
  const { browser, location } = await beginAt(store, 'acme');
  await browser.open(await provider.visit(location, 'anna'));
  const { id } = await bodyOf(browser.open('/api/people/me'));
  const make = async (json: object): Promise<string> =>
    (await bodyOf(browser.script('POST', '/api/people/me/tokens', { scopes: ['read'], ...json }))).token;
  const tokens = [await make({ name: 'desktop' }), await make({ name: 'CI of the team', publisher: 'team' })];
  const reads = (token?: string) =>
    token === undefined ? browser.send('GET', PATH) : store.call('GET', PATH, { token });
  const works = async () => ({
    session: (await reads()).status === 200,
    desktop: (await reads(tokens[0])).status === 200,
    'token for the team': (await reads(tokens[1])).status === 200,
    role: (await store.stores.people.find(id))?.role === 'moderator',
    publisher: (await store.stores.people.membershipsOf(id)).has('team'),
  });
  return { store, provider, accounts, works };
}

it('a user who left the groups of a provider without SCIM can do nothing 34 minutes later', async () => {
  const { store, accounts, works } = await openCompany();
  expect(Object.values(await works())).toEqual([true, true, true, true, true]);
  accounts.anna.groups = [];
  const lasted: Record<string, number> = {};
  for (let minute = 1; minute <= 34; minute += 1) {
    store.advance(MINUTE_MS);
    await store.runJob('Asking providers about users');
    for (const [what, still] of Object.entries(await works())) if (still) lasted[what] = minute;
  }
  expect(Object.values(await works())).toEqual([false, false, false, false, false]);
  // What ends, ends at one time: nothing works on for longer than the rest.
  expect(new Set(Object.values(lasted)).size).toBe(1);
  process.stdout.write(
    `A leaver without SCIM: ${JSON.stringify(lasted)} minutes after the group was removed\n`,
  );
});

const hasPostgres = await findPrograms().then(
  () => true,
  () => false,
);

describe('a company on PostgreSQL', needs(hasPostgres, 'npm has no PostgreSQL for this machine'), () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await startPostgres(FAST_POSTGRES);
  });
  afterAll(() => postgres?.close());

  const newDatabase = async (): Promise<string> => {
    const name = `svc_${randomUUID().replaceAll('-', '')}`;
    await postgres.createDatabase(name);
    return postgres.url + name;
  };

  it('loses no yank when its database fails over to a replica that lags, under two running processes', async () => {
    const world = await openReplicated();
    const { one, two, ids } = world;
    const { heard, tookMs } = await failOver(world);
    expect(heard.shrunk).toEqual([]);
    for (const store of [one, two]) {
      const restored = await listOf(store);
      expect(idsOf(restored)).toEqual([ids.yanked]);
      expect(restored.signedAt > world.newest().signedAt).toBe(true);
      expect(await metric(store, 'svc_rollback')).toBe('svc_rollback 1');
      expect(await metric(store, 'svc_rollback_versions{part="yanks"}')).toMatch(/ 1$/);
      expect(await metric(store, 'svc_rollback_versions{part="gone"}')).toMatch(/ 1$/);
      expect(await bundle(store, ids.yanked)).toBe(410);
    }
    const said = [one, two].map(({ lines }) => lines.join('\n'));
    expect(said.join()).toContain('it was rolled back');
    for (const lines of said) expect(lines).toContain(`${ids.gone} 1.0.0`);
    expect(said.join()).toContain(`${ids.yanked} 1.0.0`);
    // Life goes on: later yanks add to the list, and what was lost is published again.
    await yank(two, ids.kept);
    await expect.poll(async () => idsOf(await listOf(one))).toEqual([ids.kept, ids.yanked]);
    expect(await world.keptIds()).toEqual([ids.kept, ids.yanked]);
    const head = (id: string) => bodyOf(one.call('GET', `/api/apps/${id}/head`));
    expect([404, 410]).toContain((await head(ids.yanked)).httpStatus);
    expect((await head(ids.gone)).httpStatus).toBe(404);
    await one.publish(world.token, { id: ids.gone, version: '1.0.1' });
    await one.decide('approve', '1.0.1', undefined, ids.gone);
    await expect.poll(async () => (await head(ids.gone)).latest).toBe('1.0.1');
    await one.dataChecks.run();
    expect((await healthOf(one)).rollback).toMatchObject({ gone: [], yanks: [{ appId: ids.yanked }] });
    process.stdout.write(
      `A failover was named by both processes after ${tookMs} ms, ${heard.count} lists later\n`,
    );
  });

  it('names a provider that is down everywhere, and goes on with whom it knows', async () => {
    const { store, provider, works } = await openCompany({ DATABASE_URL: await newDatabase() });
    const NAME = 'sign-in provider acme';
    const shown = async () => ({
      health: (await healthOf(store)).services.find(({ name }) => name === NAME),
      metric: await metric(store, `svc_part_ready{part="${NAME}"}`),
      page: (await (await store.call('GET', '/sign-in')).text()).includes('cannot be reached at the moment.'),
    });
    await store.checkServices();
    expect(await shown()).toMatchObject({ health: { ok: true, since: null }, page: false });
    const { browser, location } = await beginAt(store, 'acme');
    const callback = await provider.visit(location, 'anna');
    provider.become('fails');
    const since = store.clock().toISOString();
    await store.checkServices();
    expect(await shown()).toEqual({
      health: { name: NAME, ok: false, since, failures: 1 },
      metric: `svc_part_ready{part="${NAME}"} 0`,
      page: true,
    });
    expect((await store.call('GET', '/readyz')).status).toBe(200);
    const answer = await browser.open(callback);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '10']);
    expect(await answer.text()).toContain('The acme cannot be reached');
    // Longer than a leaver has: members work on while nothing is known about them, and the log has one line a minute.
    for (let minute = 1; minute <= 35; minute += 1) {
      store.advance(MINUTE_MS);
      await store.runJob('Asking providers about users');
      await store.checkServices();
    }
    expect(Object.values(await works())).toEqual([true, true, true, true, true]);
    const lines = store.lines.filter((line) => line.includes('cannot be reached'));
    expect(lines.length).toBeLessThanOrEqual(37);
    expect(lines.join()).not.toContain('    at ');
    provider.become('answers');
    await store.checkServices();
    expect(await shown()).toMatchObject({ health: { ok: true, since: null }, page: false });
    expect(store.lines.join()).toContain(`The ${NAME} can be reached again.`);
  });

  describe.each(['session', 'transaction'] as const)('behind PgBouncer in its mode %s', (mode) => {
    it(
      'works in two processes: uploads at the same time, a yank that both list, and many readers',
      needs(hasProgram('pgbouncer'), 'needs PgBouncer'),
      async () => {
        const environment = { DATABASE_URL: await throughPgBouncer(await newDatabase(), mode) };
        const one = await openTestStore({ environment });
        const two = await openTestStore({ environment, folder: one.folder });
        const token = await one.publisherToken('example', true);
        await release(one, token, 'com.example.notes');
        const uploads = Array.from({ length: 12 }, (_, n) =>
          (n % 2 === 0 ? one : two).publish(token, { version: `1.1.${n % 6}` }),
        );
        const statuses = (await Promise.all(uploads)).map(({ status }) => status);
        // Each of six versions is taken once, unless a greater one came before it.
        expect(statuses).toContain(201);
        expect(statuses.filter((status) => status !== 201 && status !== 409)).toEqual([]);
        expect((await bodyOf(two.call('GET', '/api/apps/com.example.notes'))).version).toBe('1.1.5');
        await yank(one, 'com.example.notes');
        await expect.poll(async () => idsOf(await listOf(two))).toEqual(['com.example.notes']);
        const reads = Array.from({ length: 40 }, (_, n) =>
          two.call('GET', `/api/apps/catalog?limit=${1 + n}`),
        );
        expect(new Set((await Promise.all(reads)).map(({ status }) => status))).toEqual(new Set([200]));
        expect((await two.call('GET', '/readyz')).status).toBe(200);
      },
    );
  });

  it('controls its desktops from the store: a required app comes, a refused one does not, and users see who set it', async () => {
    const [REQUIRED, REFUSED, FREE] = ['com.example.required', 'com.example.refused', 'com.example.free'];
    const { url, automation } = await startFilledStore({ DATABASE_URL: await newDatabase() });
    for (const id of [REQUIRED, REFUSED, FREE]) await automation.publish(sampleBundle({ id }));
    const settings = { requiredApps: [REQUIRED], refusedApps: [REFUSED], exportChats: false };
    await automation.ask(apiRequest('PUT /api/admin/managed-settings', { json: { settings } }));
    const key = await automation.ask(apiRequest('GET /api/apps/public-key'));
    const { runtime, page, install } = await managedDesktop(
      { url, state: { key } },
      { settings: {}, fromStore: true },
    );
    expect(runtime.library.requireUsable(REQUIRED).version).toBe('1.0.0');
    await expect(runtime.remove(REQUIRED)).rejects.toMatchObject({ code: 'not-allowed' });
    await expect(install(undefined, REFUSED)).rejects.toMatchObject({
      code: 'not-allowed',
      detail: { setting: 'refusedApps' },
    });
    expect((await install(undefined, FREE)).version).toBe('1.0.0');
    const { managed } = (await page.call('client.show', {})).body;
    expect(managed?.settings.map((one) => [one.key, one.from])).toEqual(
      expect.arrayContaining(Object.keys(settings).map((name) => [name, 'store'])),
    );
    await automation.yank({ appId: REQUIRED, version: '1.0.0' }, 'It lost notes.');
    await runtime.revocations.check();
    expect(() => runtime.library.requireUsable(REQUIRED)).toThrow(
      expect.objectContaining({ code: 'yanked' }),
    );
    await automation.publish(sampleBundle({ id: REQUIRED, version: '1.0.1' }));
    await expect
      .poll(async () => {
        await runtime.managed?.check();
        return runtime.library.get(REQUIRED)?.version;
      })
      .toBe('1.0.1');
    expect(runtime.library.requireUsable(REQUIRED).on).toBe(true);
  });
});
