import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { contentsOf, tamper } from '../../support/database.ts';
import { answerCode, deviceToken, pollDevice, startDevice } from '../../support/device.ts';
import { ADMIN_TOKEN, bodyOf, jsonOf, openTestStore, twinOf } from '../../support/test-store.ts';

const MINUTE = 60_000;
const whoAmI = '/api/developer/whoami';

/** A store in which anna owns a publisher. */
async function opened() {
  const store = await openTestStore();
  await store.admin('POST', '/api/admin/publishers', { slug: 'acme', name: 'Acme' });
  return { store, anna: await store.signedIn('anna', { membership: { acme: 'owner' } }) };
}

describe('a device', () => {
  it('gets two codes, the address for the user code, and the polling interval', async () => {
    const store = await openTestStore();
    const answer = await store.call('POST', '/api/developer/device/start');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await bodyOf(answer)).toEqual({
      httpStatus: 200,
      deviceCode: expect.stringMatching(/^[\w-]{43}$/),
      userCode: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verifyUrl: 'https://store.test/device',
      interval: 5,
      expiresIn: 600,
    });
  });

  it(
    'gets pending, and then a token of the user who approved it, valid for 90 days',
    BOTH_DATABASES,
    async () => {
      const { store, anna } = await opened();
      const { deviceCode, userCode } = await startDevice(store, {
        client: 'svc on anvil',
        scopes: ['status'],
      });
      expect(await bodyOf(pollDevice(store, deviceCode))).toEqual({ httpStatus: 200, pending: true });
      expect((await answerCode(store, anna, userCode)).status).toBe(200);
      store.advance(5_000);
      const { token } = await bodyOf(pollDevice(store, deviceCode));
      expect(token).toMatch(/^svcd_/);
      expect(await bodyOf(store.call('GET', whoAmI, { token }))).toEqual({
        httpStatus: 200,
        kind: 'token',
        person: { id: 'anna', name: 'anna', email: 'anna@example.com' },
        token: {
          id: expect.any(String),
          name: 'svc on anvil',
          kind: 'device',
          scopes: ['status'],
          expiresAt: '2026-05-30T12:00:05.000Z',
        },
        publishers: [{ slug: 'acme', name: 'Acme', role: 'owner', verified: false }],
      });
    },
  );

  it('gets its token once', async () => {
    const { store, anna } = await opened();
    const { deviceCode, userCode } = await startDevice(store);
    await answerCode(store, anna, userCode);
    expect((await pollDevice(store, deviceCode)).status).toBe(200);
    store.advance(5_000);
    expect(await bodyOf(pollDevice(store, deviceCode))).toMatchObject({ httpStatus: 410, code: 'expired' });
  });

  it('gets its token once with a hundred concurrent polls of two processes', BOTH_DATABASES, async () => {
    const { store, anna } = await opened();
    const other = await twinOf(store);
    for (let round = 0; round < 3; round += 1) {
      const { deviceCode, userCode } = await startDevice(store);
      await answerCode(store, anna, userCode);
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, n) => bodyOf(pollDevice(n % 2 ? store : other, deviceCode))),
      );
      const won = answers.filter(({ httpStatus }) => httpStatus === 200);
      expect(won).toEqual([{ httpStatus: 200, token: expect.stringMatching(/^svcd_/) }]);
      const { tokens } = await bodyOf(store.call('GET', '/api/people/me/tokens', { session: anna }));
      expect(tokens).toHaveLength(round + 1);
    }
  });

  it('gets slow_down when it polls more often than every five seconds, without a longer interval', async () => {
    const { store, anna } = await opened();
    const { deviceCode, userCode } = await startDevice(store);
    expect((await pollDevice(store, deviceCode)).status).toBe(200);
    for (const ms of [1, 2_000, 2_000]) {
      store.advance(ms);
      const answer = await pollDevice(store, deviceCode);
      expect(answer.headers.get('retry-after')).toBe('5');
      expect(await bodyOf(answer)).toMatchObject({ httpStatus: 429, code: 'slow_down', retryAfter: 5 });
    }
    await answerCode(store, anna, userCode);
    store.advance(999);
    expect(await bodyOf(pollDevice(store, deviceCode))).toMatchObject({ token: expect.any(String) });
  });

  it('gets access_denied after a denial until its code expires, and never a token', async () => {
    const { store, anna } = await opened();
    const { deviceCode, userCode } = await startDevice(store);
    expect((await answerCode(store, anna, userCode, { answer: 'deny' })).status).toBe(200);
    for (let polls = 0; polls < 2; polls += 1) {
      expect(await bodyOf(pollDevice(store, deviceCode))).toMatchObject({
        httpStatus: 403,
        code: 'access_denied',
      });
    }
    store.advance(10 * MINUTE);
    expect(await bodyOf(pollDevice(store, deviceCode))).toMatchObject({ httpStatus: 410, code: 'expired' });
  });

  it.each([false, true])('expires after ten minutes, approved or not: %s', async (approved) => {
    const { store, anna } = await opened();
    const { deviceCode, userCode } = await startDevice(store);
    if (approved) await answerCode(store, anna, userCode);
    store.advance(10 * MINUTE);
    expect(await bodyOf(pollDevice(store, deviceCode))).toMatchObject({ httpStatus: 410, code: 'expired' });
    if (!approved) expect((await answerCode(store, anna, userCode)).status).toBe(400);
  });

  it('gets no token with the code of another device, or with part of its own', async () => {
    const { store, anna } = await opened();
    const { deviceCode, userCode } = await startDevice(store);
    const other = await startDevice(store);
    await answerCode(store, anna, userCode);
    expect(await bodyOf(pollDevice(store, other.deviceCode))).toEqual({ httpStatus: 200, pending: true });
    for (const guess of [userCode, deviceCode.slice(1), deviceCode.toLowerCase(), `${deviceCode} `, 'x']) {
      expect(await bodyOf(pollDevice(store, guess))).toMatchObject({ httpStatus: 410, code: 'expired' });
    }
    expect((await pollDevice(store, deviceCode)).status).toBe(200);
  });

  it('gets no token if the user was suspended after the approval', async () => {
    const { store, anna } = await opened();
    const { deviceCode, userCode } = await startDevice(store);
    await answerCode(store, anna, userCode);
    await store.stores.people.change('anna', { suspended: true });
    expect(await bodyOf(pollDevice(store, deviceCode))).toMatchObject({
      httpStatus: 403,
      code: 'access_denied',
    });
  });

  it.each([
    { client: '' },
    { client: 'x'.repeat(81) },
    { client: 'two\nlines' },
    { client: 'turned \u202e around' },
    { client: 'nothing \u0000' },
    { scopes: [] },
    { scopes: ['admin'] },
    { publisher: 'Not A Slug' },
    { more: 1 },
  ])('cannot start with %j', async (json) => {
    const store = await openTestStore();
    const answer = await bodyOf(store.call('POST', '/api/developer/device/start', { json }));
    expect(answer).toMatchObject({ httpStatus: 400, code: 'invalid_request' });
  });

  it('can be started as often as a whole office needs behind one address', async () => {
    const store = await openTestStore();
    for (let n = 0; n < 50; n += 1) await startDevice(store);
  });

  it('takes the place of the oldest while 100,000 others wait', async () => {
    const store = await openTestStore();
    const numbers = `with recursive n (i) as (select 1 union all select i + 1 from n where i < 100000)
      select cast(i as text), cast(i as text), 'c', '2026-03-01T12:00:00.000Z', '2026-03-01T12:10:00.000Z', 'pending', '{}' from n`;
    await tamper(
      store.folder,
      `insert into device_codes (device_hash, user_code_seal, client, created_at, expires_at, state, asked_json) ${numbers}`,
    );
    expect((await store.call('POST', '/api/developer/device/start')).status).toBe(200);
    expect(await store.stores.devices.countLive('2026-03-01T12:00:01.000Z')).toBe(100_000);
  });
});

describe('a device sign-in', () => {
  it('leaves no code and no token in the database, the log or the audit log', async () => {
    const { store, anna } = await opened();
    const { deviceCode, userCode } = await startDevice(store, { client: 'svc on anvil' });
    const denied = await startDevice(store);
    await pollDevice(store, deviceCode);
    await answerCode(store, anna, userCode.toLowerCase());
    await answerCode(store, anna, denied.userCode, { answer: 'deny' });
    await pollDevice(store, denied.deviceCode);
    const beforehand = await contentsOf(store.folder);
    store.advance(5_000);
    const { token } = await jsonOf<{ token: string }>(pollDevice(store, deviceCode));
    const whole = beforehand + (await contentsOf(store.folder)) + store.lines.join('\n');
    expect(whole).toContain('svc on anvil');
    const bare = userCode.replace('-', '');
    const codes = [userCode, bare, userCode.toLowerCase(), denied.userCode, denied.userCode.replace('-', '')];
    for (const secret of [token, deviceCode, denied.deviceCode, ...codes]) {
      expect(whole).not.toContain(secret);
      expect(whole).not.toContain(Buffer.from(secret).toString('base64'));
    }
  });

  it('is recorded in the audit log, with the user as actor', async () => {
    const { store, anna } = await opened();
    await deviceToken(store, anna, { client: 'svc on anvil', publisher: 'acme' });
    const { userCode } = await startDevice(store);
    await answerCode(store, anna, userCode, { answer: 'deny' });
    const { entries } = await bodyOf(store.call('GET', '/api/admin/audit', { token: ADMIN_TOKEN }));
    const told = entries.map(({ actor, action, publisher, detail }: Record<string, unknown>) => ({
      actor,
      action,
      publisher,
      detail,
    }));
    const scopes = ['publish:new', 'publish:update', 'yank', 'status', 'read'];
    expect(told.slice(0, 3)).toEqual([
      {
        actor: 'person:anna',
        action: 'device.deny',
        publisher: null,
        detail: { client: 'a program without a name' },
      },
      {
        actor: 'person:anna',
        action: 'token.issue',
        publisher: 'acme',
        detail: { kind: 'device', name: 'svc on anvil', scopes, expiresAt: '2026-05-30T12:00:00.000Z' },
      },
      {
        actor: 'person:anna',
        action: 'device.approve',
        publisher: 'acme',
        detail: { client: 'svc on anvil', scopes, days: 90 },
      },
    ]);
  });
});
