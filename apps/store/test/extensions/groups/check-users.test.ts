import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nextCheck } from '../../../src/extensions/groups/check-users.ts';
import { groupQueries } from '../../../src/extensions/groups/extension.ts';
import { createMac, openEntry } from '../../../src/platform/secret.ts';
import { openIdProvider } from '../../support/open-id.ts';
import { beginAt, openStoreAt } from '../../support/store-with-providers.ts';
import { bodyOf } from '../../support/test-store.ts';

const GROUPS = {
  allowed: ['staff'],
  roles: { reviewers: 'moderator' },
  publishers: { 'team-a': { slug: 'team-a', role: 'owner' } },
};
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A store that only members may read, its provider, and a user with a session and two tokens. */
async function opened({ params = {}, environment = {} } = {}) {
  const accounts: Parameters<typeof openIdProvider>[1] = {
    anna: { name: 'Anna', email: 'anna@acme.example', email_verified: true, groups: [] },
  };
  const provider = await openIdProvider('acme', accounts);
  const settings = { ...provider.settings, groups: GROUPS, ...params };
  const store = await openStoreAt({ SVC_READ: 'members', ...environment }, settings);
  await store.signedIn('root', { role: 'administrator' });
  await store.admin('POST', '/api/admin/publishers', { slug: 'team-a', name: 'Team A' });
  const inGroups = (...groups: string[]) => Object.assign(accounts, { anna: { ...accounts.anna, groups } });
  inGroups('staff', 'reviewers', 'team-a');
  const signIn = async () => {
    const { browser, location } = await beginAt(store, 'acme');
    return { browser, answer: await browser.open(await provider.visit(location, 'anna')) };
  };
  const { browser } = await signIn();
  await browser.open('/api/people/me');
  const make = async (json: object): Promise<string> => {
    const made = await bodyOf(browser.script('POST', '/api/people/me/tokens', json));
    expect(made).toMatchObject({ httpStatus: 201 });
    return made.token;
  };
  const tokens = [
    await make({ name: 'mine', scopes: ['read', 'status'] }),
    await make({ name: 'of the team', scopes: ['read', 'status'], publisher: 'team-a' }),
  ];
  const works = async (token: string) =>
    (await store.call('GET', '/api/apps/com.example.none/versions/1.0.0/status', { token })).status;
  /** Lets the store ask, some time later. */
  const ask = async (minutes = 40) => {
    store.advance(minutes * MINUTE_MS);
    await store.runJob('Asking providers about users');
  };
  const state = async () => ({
    me: await bodyOf(browser.send('GET', '/api/people/me')),
    tokens: await Promise.all(tokens.map(works)),
    owners: (await store.stores.members.of('team-a')).length,
  });
  return { accounts, store, signIn, inGroups, ask, state };
}

describe('a user of a provider whose groups decide', () => {
  it('keeps everything while the provider confirms them, with a new refresh token each time', async () => {
    const { ask, state, store } = await opened();
    for (let time = 0; time < 3; time += 1) await ask();
    expect(await state()).toMatchObject({ me: { role: 'moderator' }, tokens: [404, 404], owners: 1 });
    const [check] = await groupQueries(store.stores.db).providerChecks.due('2026-03-02T00:00:00.000Z', 9);
    expect(check?.confirmedAt).toBe(store.clock().toISOString());
    const { identityId = '', sealed } = check ?? {};
    expect(sealed).toMatch(/^[\w-]{40,}$/);
    // Only with the signing key and the identity can the refresh token be read.
    const secret = createMac(
      createPrivateKey(await readFile(join(store.folder, 'keys', 'signing-key.pem'))),
      'refresh token',
    );
    const grant = openEntry(secret(identityId), String(sealed));
    expect(grant).not.toBe('');
    expect(sealed).not.toContain(Buffer.from(grant).toString('base64url'));
    expect(() => openEntry(secret('another'), String(sealed))).toThrow('authenticate');
  });

  it('loses at the next question what a group gave, and tokens for its publisher', async () => {
    const { ask, state, inGroups, store } = await opened();
    inGroups('staff');
    await ask(10);
    expect(await state()).toMatchObject({ me: { role: 'moderator' }, owners: 1 });
    await ask();
    expect(await state()).toMatchObject({ me: { httpStatus: 200, role: 'person' }, owners: 0 });
    const { entries } = await bodyOf(store.admin('GET', '/api/admin/audit?limit=100'));
    expect(entries).toContainEqual(
      expect.objectContaining({ action: 'member.remove', actor: 'provider:acme', publisher: 'team-a' }),
    );
  });

  it('has no access outside the groups that may use the store, until they are in one again and sign in', async () => {
    const { ask, state, inGroups, signIn } = await opened();
    inGroups('elsewhere');
    await ask();
    expect(await state()).toMatchObject({ me: { httpStatus: 401 }, tokens: [401, 401], owners: 0 });
    const refused = await signIn();
    expect(refused.answer.status).toBe(403);
    expect(await refused.answer.text()).toContain('You are in no group of The acme');
    inGroups('staff', 'team-a');
    const { browser, answer } = await signIn();
    expect(answer.status).toBe(303);
    expect(await bodyOf(browser.send('GET', '/api/people/me'))).toMatchObject({ httpStatus: 200 });
    // The one for the team was revoked; the other works again.
    expect((await state()).tokens).toEqual([404, 401]);
  });

  it('has no access once the provider has no such account', async () => {
    const { ask, state, accounts, store } = await opened();
    delete accounts.anna;
    await ask();
    expect(await state()).toMatchObject({ me: { httpStatus: 401 }, tokens: [401, 401] });
    const { entries } = await bodyOf(store.admin('GET', '/api/admin/audit?limit=100'));
    expect(entries).toContainEqual(
      expect.objectContaining({
        action: 'person.change',
        detail: expect.objectContaining({ confirmed: 'refused', sessionsEnded: 1 }),
      }),
    );
  });

  it('keeps tokens only for a time where the provider cannot be asked', async () => {
    const { ask, state, signIn, store } = await opened({ environment: { SVC_TOKEN_CONFIRM_HOURS: '48' } });
    const [check] = await groupQueries(store.stores.db).providerChecks.due('2026-03-02T00:00:00.000Z', 9);
    if (!check) throw new Error('There is no check.');
    await groupQueries(store.stores.db).providerChecks.keep({
      ...{ identityId: check.identityId, confirmedAt: check.confirmedAt, nextAt: check.nextAt },
      sealed: null,
    });
    await ask(24 * 60);
    expect((await state()).tokens).toEqual([404, 404]);
    await ask(24 * 60 + 1);
    expect((await state()).tokens).toEqual([401, 401]);
    await signIn();
    expect((await state()).tokens).toEqual([404, 404]);
  });
});

describe('the time of the next question', () => {
  it('differs by a tenth', () => {
    const at = (byte: number) =>
      Date.parse(
        nextCheck({ clock: () => new Date(0), random: () => new Uint8Array([byte]) as never }, HOUR_MS),
      );
    expect([at(0), at(255)]).toEqual([54 * MINUTE_MS, 66 * MINUTE_MS]);
  });
});
