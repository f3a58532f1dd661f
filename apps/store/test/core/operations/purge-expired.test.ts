import { expect, it } from 'vitest';
import { createStores } from '../../../src/adapters/database/stores.ts';
import { joinHooks } from '../../../src/core/domain/parts/hooks.ts';
import { purgeExpired } from '../../../src/core/operations/purge-expired.ts';
import type { Tables } from '../../../src/platform/database/schema.ts';
import { openDatabase } from '../../support/database.ts';
import { submitVersion, VERSION } from '../../support/version-row.ts';

const NOW = '2026-03-01T12:00:00.000Z';
const DAY = 24 * 3_600_000;

/** The time that is `ms` milliseconds after `NOW`. */
const at = (ms: number): string => new Date(Date.parse(NOW) + ms).toISOString();

it('deletes the expired rows of each table, and no others', async () => {
  const db = await openDatabase();
  const stores = createStores(db);
  const person = {
    id: 'anna',
    name: 'Anna',
    email: null,
    emailVerified: false,
    role: 'person',
    suspended: false,
  } as const;
  await stores.people.add({ ...person, createdAt: NOW });
  const acme = { slug: 'acme', name: 'Acme', verified: false, suspended: false, createdAt: NOW };
  await stores.publishers.create(acme, { look: 'acme', proof: '' });
  await submitVersion(stores, VERSION, 'acme');
  for (const [name, ms] of [
    ['over', 0],
    ['under way', 1],
  ] as const) {
    const expiresAt = at(ms);
    const common = { createdAt: at(-DAY), expiresAt, address: null };
    const keptUntil = at(ms - 60 * DAY);
    await stores.sessions.keep({
      ...common,
      expiresAt: keptUntil,
      hash: name,
      id: name,
      personId: 'anna',
      lastSeenAt: at(-DAY),
      agent: '',
      provedAt: null,
      hasPasskey: false,
    });
    await stores.ceremonies.end(name, 'provider', expiresAt);
    const asked = { scopes: [], publisher: null };
    const device = {
      ...common,
      deviceHash: name,
      userCodeSeal: name,
      client: '',
      asked,
      state: 'pending',
    } as const;
    expect(await stores.devices.add(device)).toBe(true);
    const token = {
      hash: name,
      id: name,
      kind: 'personal',
      name,
      personId: 'anna',
      publisher: null,
      appId: null,
    } as const;
    const times = { createdAt: at(-DAY), lastUsedAt: null, revokedAt: null, madeBy: null };
    await stores.tokens.keep({ ...token, ...times, scopes: [], expiresAt: keptUntil });
    const parked = { browser: '', ticketHash: name, isConfirmed: false };
    await stores.relay.park({ stateHash: name, sealed: '', network: '', ...parked, expiresAt });
    await stores.relay.addClient({ stateHash: name, network: '', site: '', appId: null, expiresAt });
    const invitation = {
      id: name,
      publisher: 'acme',
      role: 'member',
      email: null,
      invitedBy: 'anna',
    } as const;
    await stores.invitations.add({ ...invitation, createdAt: at(-DAY), expiresAt: keptUntil });
    const day = ms === 0 ? '2026-02-26' : '2026-02-27';
    await stores.installs.recordFetches([{ day, idHash: name, version: '1.0.0' }]);
    await stores.installs.countFrom([{ day, networkHash: name, appId: '', installs: 1 }]);
    await stores.installs.count([{ appId: VERSION.appId, day, version: '1.0.0', installs: 1, updates: 0 }]);
    await stores.rateLimits.add('upload somebody', at(ms - 1 - DAY), at(-9 * DAY));
  }
  const days = { addresses: 10, sessions: 60, reports: 20, mails: 3 };
  const actor = { name: 'anna', from: { address: '192.0.2.1', requestId: null } };
  for (const ms of [0, 1]) {
    await stores.audit.add(actor, at(ms - 10 * DAY), { action: 'session.begin' });
  }
  const purged: Date[] = [];
  const hooks = joinHooks([{ purgeExpired: async (now) => void purged.push(now) }]);
  const deps = { ...stores, hooks, clock: () => new Date(NOW) };
  await purgeExpired({ ...deps, retentionDays: { ...days, addresses: null } });
  expect(await db.selectFrom('audit_log').select('address').where('address', 'is', null).execute()).toEqual(
    [],
  );
  await purgeExpired({ ...deps, retentionDays: days });
  expect(purged).toEqual([new Date(NOW), new Date(NOW)]);
  const addresses = db.selectFrom('audit_log').select('address').orderBy('id');
  expect((await addresses.execute()).map(({ address }) => address)).toEqual([null, '192.0.2.1']);
  const left = async (table: keyof Tables) => (await db.selectFrom(table).selectAll().execute()).length;
  const tables = [
    'sessions',
    'ceremonies',
    'device_codes',
    'invitations',
    'relay_entries',
    'relay_clients',
    'tokens',
    'marks',
    'install_days',
    'install_networks',
  ] as const;
  for (const table of tables) {
    expect([table, await left(table)]).toEqual([table, 1]);
  }
  expect(await left('install_counts')).toBe(2);
  expect((await stores.sessions.find('under way'))?.session.id).toBe('under way');
});
