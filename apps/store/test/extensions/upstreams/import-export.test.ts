import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ADMIN_TOKEN, bodyOf, openTestStore, type TestStore } from '../../support/test-store.ts';
import { APP, COMPANY, commandsOf, companyStore, publicStore, turn } from './support.ts';

const DAY = 24 * 3_600_000;
const HOUR = 3_600_000;
const OTHER = 'com.example.other';
const ALL = { which: 'all', how: 'all' };

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-export-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const keyOf = async (store: TestStore): Promise<string> =>
  (await bodyOf(store.call('GET', '/api/apps/public-key'))).keyId;

/** A public store that exports its own apps, and a company's store without a network that has imported the first export. */
async function acrossAGap(choices: Record<string, string> = ALL) {
  const [origin, company, folder] = [await publicStore(), await companyStore(), await newFolder()];
  const outside = commandsOf(origin);
  const inside = commandsOf(company);
  const file = (name: string) => join(folder, `${name}.svcx`);
  const exported = (name: string, options: Record<string, unknown> = {}) =>
    outside('export', origin.address, { out: file(name), ...options });
  await exported('1');
  await inside('add', file('1'), { key: await keyOf(origin), ...choices });
  const said = await inside('import', file('1'));
  return {
    ...{ origin, company, inside, file, exported, said },
    state: async (version: string, appId = APP) =>
      (await company.stores.versions.find({ appId, version }))?.state,
    upstream: async () => (await bodyOf(company.admin('GET', '/api/admin/upstreams'))).upstreams[0],
    later(ms: number) {
      origin.advance(ms);
      company.advance(ms);
    },
  };
}

describe('svc-store upstream import', () => {
  it('carries apps and their yanks from files, and asks no network', BOTH_DATABASES, async () => {
    const { origin, company, inside, file, exported, said, state, upstream, later } = await acrossAGap();
    expect(said).toContain('1 apps carried, 0 waiting, 0 refused, 0 gone');
    expect(await state('1.0.0')).toBe('published');
    const here = await bodyOf(company.call('GET', `/api/apps/${APP}`));
    expect(here.origin).toEqual({ store: origin.address, publisher: 'example' });
    later(HOUR);
    await origin.publish(origin.token, { id: APP, version: '1.1.0' });
    await origin.admin('POST', `/api/apps/${APP}/versions/1.0.0/yank`, { reason: 'It lost notes.' });
    expect(await exported('2', { since: file('1') })).toContain('1 apps of');
    origin.asked.length = 0;
    expect(await inside('import', file('2'))).toContain('1 apps carried');
    await turn(company);
    expect(origin.asked).toEqual([]);
    expect([await state('1.0.0'), await state('1.1.0')]).toEqual(['yanked', 'published']);
    expect(await upstream()).toMatchObject({
      failure: null,
      isStopped: false,
      file: { signerIds: [], last: { missing: 0, importedAt: company.clock().toISOString() } },
    });
    expect(await inside('list')).toContain('by file, last import 2026-03-01T13');
    // The same one again changes nothing; an older one is refused, and so is another of the same time.
    expect(await inside('import', file('2'))).toContain('1 apps carried');
    await expect(inside('import', file('1'))).rejects.toThrow(/an older one is refused/);
    await exported('2b');
    await expect(inside('import', file('2b'))).rejects.toThrow(/an older one is refused/);
    expect(await state('1.1.0')).toBe('published');
  });

  it('applies the choices and the review of this store, as over the network', async () => {
    const { origin, company, inside, file, exported, later, state } = await acrossAGap({
      which: 'chosen',
      apps: APP,
      how: 'review',
    });
    expect(await state('1.0.0')).toBe('in_review');
    await company.decide('approve', '1.0.0', {}, APP);
    later(HOUR);
    await origin.publish(origin.token, { id: OTHER });
    await origin.decide('approve', '1.0.0', {}, OTHER);
    // An app that the store suspended is no longer in its catalogue: the export asks about it, as the one before had it.
    await origin.admin('PATCH', `/api/admin/apps/${APP}`, { suspended: true, reason: 'A fault.' });
    await exported('2', { since: file('1') });
    expect(await inside('import', file('2'))).toContain('0 apps carried, 0 waiting, 0 refused, 1 gone');
    expect(await state('1.0.0', OTHER)).toBeUndefined();
    expect((await company.call('GET', `/api/apps/${APP}/versions/1.0.0/bundle`)).status).not.toBe(200);
  });

  it('says which bundles are missing, does the yanks anyway, and takes the bundles from the export before', async () => {
    const { origin, inside, file, exported, later, state, upstream } = await acrossAGap();
    later(HOUR);
    await origin.publish(origin.token, { id: OTHER });
    await origin.decide('approve', '1.0.0', {}, OTHER);
    await exported('2', { since: file('1') });
    later(HOUR);
    await origin.admin('POST', `/api/apps/${APP}/versions/1.0.0/yank`, { reason: 'It lost notes.' });
    await exported('3', { since: file('2') });
    await expect(inside('import', file('3'))).rejects.toThrow(
      /The bundles of com\.example\.other are missing\. It begins after the export of 2026-03-01T13:00:00\.000Z/,
    );
    expect([await state('1.0.0'), await state('1.0.0', OTHER)]).toEqual(['yanked', undefined]);
    expect((await upstream()).file.last.missing).toBe(1);
    expect(await inside('import', file('3'), { with: [file('2')] })).toContain('1 apps carried');
    expect(await state('1.0.0', OTHER)).toBe('published');
    expect((await upstream()).file.last.missing).toBe(0);
  });

  it('prints what it has, after which an export has what it lacks', async () => {
    const { origin, inside, file, exported, later, company } = await acrossAGap();
    const list = file('list');
    const { writeFile } = await import('node:fs/promises');
    await writeFile(list, await inside('apps', origin.address));
    later(HOUR);
    await origin.publish(origin.token, { id: OTHER });
    await origin.decide('approve', '1.0.0', {}, OTHER);
    expect(await exported('2', { since: list })).toContain('2 apps of');
    expect(await inside('import', file('2'))).toContain('2 apps carried');
    expect(company.lines.join('')).not.toContain('cannot be followed');
    expect(await inside('apps', origin.address)).toMatch(
      /^# \S+ 2026-03-01T13:00:00\.000Z\n([0-9a-f]{64} {2}com\.example\.\w+\n){2}$/,
    );
  });

  it('takes exports that another store makes only with the key of that store', async () => {
    const [origin, outside, company] = [await publicStore(), await openTestStore(), await companyStore()];
    const folder = await newFolder();
    const inside = commandsOf(company);
    const own = join(folder, 'own.svcx');
    const file = join(folder, 'other.svcx');
    await commandsOf(outside)('export', origin.address, { out: file });
    const key = await keyOf(origin);
    await expect(inside('add', file, { key, ...ALL })).rejects.toThrow(/name it with --signer/);
    await expect(inside('add', file, { key, ...ALL, signer: key })).rejects.toThrow(/name it with --signer/);
    const signer = await keyOf(outside);
    await expect(inside('add', file, { key: signer, signer, ...ALL })).rejects.toThrow(/current key/);
    await inside('add', file, { key, signer, ...ALL });
    expect(await inside('import', file)).toContain('1 apps carried');
    origin.advance(HOUR);
    company.advance(HOUR);
    // Not even the upstream itself, as its exports could be older.
    await commandsOf(origin)('export', origin.address, { out: own });
    await expect(inside('import', own)).rejects.toThrow(/not signed by the store that makes those/);
  });

  it('stops new installs when no export came for too long, and says how old the last one is', async () => {
    const { origin, company, inside, file, exported, upstream, later } = await acrossAGap();
    later(8 * DAY);
    await turn(company);
    expect(await upstream()).toMatchObject({ isStopped: true, failure: null });
    const metrics = await (await company.call('GET', '/metrics', { token: ADMIN_TOKEN })).text();
    const { host } = new URL(origin.address);
    expect(metrics).toContain(`svc_upstream_age_seconds{upstream="${host}"} ${(8 * DAY) / 1_000}`);
    expect(metrics).toContain(`svc_part_ready{part="upstream ${host}"} 0`);
    await exported('2', { since: file('1') });
    await inside('import', file('2'));
    expect(await upstream()).toMatchObject({ isStopped: false });
  });

  it('is not asked over the network, and an upstream of the network takes no file', async () => {
    const { origin, company, inside, file, upstream } = await acrossAGap();
    const { id } = await upstream();
    const key = await keyOf(origin);
    expect((await company.admin('GET', `/api/admin/upstreams/${id}/search?q=notes`)).status).toBe(503);
    expect((await company.admin('PATCH', `/api/admin/upstreams/${id}`, { keyId: key })).status).toBe(400);
    await expect(inside('pin', origin.address, { key })).rejects.toThrow(/read from files/);
    expect(await inside('pin', file('1'), { key })).toContain('is trusted');
    await inside('remove', origin.address);
    await expect(inside('import', file('1'))).rejects.toThrow(/is no upstream of this store/);
    await inside('add', origin.address, { key, ...ALL });
    await expect(inside('import', file('1'))).rejects.toThrow(/is read over the network/);
    await expect(inside('pin', file('1'), { key })).rejects.toThrow(/over the network/);
    expect(COMPANY).not.toBe(origin.address);
  });
});
