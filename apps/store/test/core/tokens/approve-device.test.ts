import { describe, expect, it } from 'vitest';
import {
  answerCode,
  deviceToken,
  fieldsOf,
  mainOf,
  pollDevice,
  sendForm,
  startDevice,
  typeCode,
} from '../../support/device.ts';
import { bodyOf, openTestStore, type TestSession, type TestStore } from '../../support/test-store.ts';

const MINUTE = 60_000;

/** A store with two publishers; anna acts for one of them, ben for the other. */
async function opened() {
  const store = await openTestStore();
  for (const slug of ['acme', 'other'])
    await store.admin('POST', '/api/admin/publishers', { slug, name: slug });
  return {
    store,
    anna: await store.signedIn('anna', { membership: { acme: 'owner' } }),
    ben: await store.signedIn('ben', { membership: { other: 'member' } }),
  };
}

/** The fields of the form that the page shows for a code. */
const shownFields = async (store: TestStore, session: TestSession, code: string) =>
  fieldsOf(await (await typeCode(store, session, code)).text());

const answer = (store: TestStore, session: TestSession, fields: Record<string, string>) =>
  sendForm(store, '/device/answer', session, { answer: 'approve', ...fields });

const outcomeOf = async (response: Promise<Response> | Response) => {
  const { status } = await response;
  return [status, /<h1>([^<]*)<\/h1>\s*<p[^>]*>([^<]*)/.exec(await (await response).text())?.[2]];
};

const isPending = async (store: TestStore, deviceCode: string): Promise<boolean> => {
  store.advance(5_000);
  return (await bodyOf(pollDevice(store, deviceCode))).pending === true;
};

describe('the page for devices', () => {
  it('redirects a signed-out user to sign in and back, with the code', async () => {
    const store = await openTestStore();
    const { status, headers } = await store.call('GET', '/device?code=BCDF-GHJK');
    expect([status, headers.get('location')]).toEqual([303, '/sign-in?next=%2Fdevice%3Fcode%3DBCDF-GHJK']);
    expect(
      (await store.call('POST', '/device', { headers: { origin: 'https://evil.example' } })).status,
    ).toBe(401);
  });

  it('fills in the code from its address, escaped, and does not approve it', async () => {
    const { store, anna } = await opened();
    const { deviceCode, userCode } = await startDevice(store);
    const page = await (await store.call('GET', `/device?code=${userCode}`, { session: anna })).text();
    expect(fieldsOf(page)).toMatchObject({ code: userCode });
    expect(await isPending(store, deviceCode)).toBe(true);
    const hostile = encodeURIComponent('"><script>alert(1)</script>');
    const escaped = await (await store.call('GET', `/device?code=${hostile}`, { session: anna })).text();
    expect(escaped).toContain('value="&quot;&gt;&lt;script&gt;');
    expect(mainOf(escaped)).not.toContain('<script');
  });

  it('shows the client, the time and the scopes of the request, and approves nothing when it is opened', async () => {
    const { store, anna } = await opened();
    const client = '<b>svc</b> & "co"';
    const { deviceCode, userCode } = await startDevice(store, {
      client,
      scopes: ['yank'],
      publisher: 'acme',
    });
    store.advance(3 * MINUTE);
    const response = await typeCode(store, anna, userCode);
    const page = await response.text();
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(page).toContain('<bdi>&lt;b&gt;svc&lt;/b&gt; &amp; &quot;co&quot;</bdi>');
    expect(page).toContain('3 minutes ago');
    expect(page).toContain('Yank versions');
    expect(mainOf(page)).not.toContain('Publish');
    expect(fieldsOf(page)).toMatchObject({ publisher: 'acme', yank: 'on' });
    expect(await isPending(store, deviceCode)).toBe(true);
  });

  it.each(['GET', 'POST'])('cannot be framed, and runs only scripts of the store: %s', async (method) => {
    const { store, anna } = await opened();
    const { userCode } = await startDevice(store);
    const { headers } =
      method === 'GET'
        ? await store.call('GET', '/device', { session: anna })
        : await typeCode(store, anna, userCode);
    expect(headers.get('x-frame-options')).toBe('DENY');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self'");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
  });

  it('accepts a code in upper or lower case, with spaces, and without the hyphen', async () => {
    const { store, anna } = await opened();
    const { userCode } = await startDevice(store);
    const bare = userCode.replace('-', '');
    for (const typed of [
      bare,
      bare.toLowerCase(),
      ` ${[...bare].join(' ')} `,
      userCode.replace('-', '\u2013'),
    ]) {
      expect((await typeCode(store, anna, typed)).status).toBe(200);
    }
  });
});

describe('an approval', () => {
  it('grants the selected scopes for the selected publisher', async () => {
    const { store, anna } = await opened();
    const { deviceCode, userCode } = await startDevice(store, { publisher: 'other' });
    const { 'publish:new': _new, yank: _yank, ...fields } = await shownFields(store, anna, userCode);
    expect(fields.publisher).toBe('');
    expect((await answer(store, anna, { ...fields, publisher: 'acme' })).status).toBe(200);
    const { token } = await bodyOf(pollDevice(store, deviceCode));
    expect(await bodyOf(store.call('GET', '/api/developer/whoami', { token }))).toMatchObject({
      token: { scopes: ['publish:update', 'status', 'read'], publisher: 'acme' },
      publishers: [{ slug: 'acme', role: 'owner' }],
    });
  });

  it('never grants more scopes than requested', async () => {
    const { store, anna } = await opened();
    const { deviceCode, userCode } = await startDevice(store, { scopes: ['status'] });
    await answerCode(store, anna, userCode, { yank: 'on', 'publish:new': 'on' });
    const { token } = await bodyOf(pollDevice(store, deviceCode));
    expect(await bodyOf(store.call('GET', '/api/developer/whoami', { token }))).toMatchObject({
      token: { scopes: ['status'] },
    });
  });

  it('is refused for a publisher that the user is not a member of, and without a scope', async () => {
    const { store, anna } = await opened();
    const { deviceCode, userCode } = await startDevice(store, { scopes: ['status'] });
    expect((await answerCode(store, anna, userCode, { publisher: 'other' })).status).toBe(403);
    const { status: _unchecked, ...fields } = await shownFields(store, anna, userCode);
    expect((await answer(store, anna, fields)).status).toBe(400);
    expect(await isPending(store, deviceCode)).toBe(true);
  });

  it('that is sent again is refused, and issues no second token', async () => {
    const { store, anna } = await opened();
    const { deviceCode, userCode } = await startDevice(store);
    const fields = await shownFields(store, anna, userCode);
    expect((await answer(store, anna, fields)).status).toBe(200);
    const replayed = [409, expect.stringContaining('This code is no longer valid')];
    expect(await outcomeOf(answer(store, anna, fields))).toEqual(replayed);
    await pollDevice(store, deviceCode);
    expect(await outcomeOf(answer(store, anna, fields))).toEqual(replayed);
    expect((await bodyOf(store.call('GET', '/api/people/me/tokens', { session: anna }))).tokens).toHaveLength(
      1,
    );
  });

  it('is refused after a denial, as is a denial after an approval', async () => {
    const { store, anna } = await opened();
    for (const [first, second, becomes] of [
      ['deny', 'approve', 403],
      ['approve', 'deny', 200],
    ] as const) {
      const { deviceCode, userCode } = await startDevice(store);
      const fields = await shownFields(store, anna, userCode);
      expect((await answer(store, anna, { ...fields, answer: first })).status).toBe(200);
      expect((await answer(store, anna, { ...fields, answer: second })).status).toBe(409);
      expect((await pollDevice(store, deviceCode)).status).toBe(becomes);
    }
  });

  it('is refused if the code has expired since the form was shown', async () => {
    const { store, anna } = await opened();
    const { userCode } = await startDevice(store);
    const fields = await shownFields(store, anna, userCode);
    store.advance(10 * MINUTE);
    expect((await answer(store, anna, fields)).status).toBe(409);
  });

  it('is refused for another code than the form was shown for', async () => {
    const { store, anna } = await opened();
    const mine = await startDevice(store);
    const theirs = await startDevice(store, { client: 'evil' });
    const fields = await shownFields(store, anna, mine.userCode);
    expect(await outcomeOf(answer(store, anna, { ...fields, code: theirs.userCode }))).toEqual([
      403,
      expect.stringContaining('not the code that you were shown'),
    ]);
    expect(await isPending(store, theirs.deviceCode)).toBe(true);
    expect(await isPending(store, mine.deviceCode)).toBe(true);
  });

  it('is refused with the form of another user or another session', async () => {
    const { store, anna, ben } = await opened();
    const { deviceCode, userCode } = await startDevice(store);
    const { csrf: _csrf, ...fields } = await shownFields(store, anna, userCode);
    expect((await answer(store, ben, fields)).status).toBe(403);
    expect((await answer(store, await store.signedIn('anna'), fields)).status).toBe(403);
    expect(await isPending(store, deviceCode)).toBe(true);
  });

  it('with a forged form gets the same response for valid, unknown and malformed codes, so that codes cannot be guessed', async () => {
    const { store, anna } = await opened();
    const { userCode } = await startDevice(store);
    const forged = { code: userCode, seal: 'x'.repeat(43), publisher: '', status: 'on' };
    const right = await outcomeOf(answer(store, anna, forged));
    const wrong = await outcomeOf(answer(store, anna, { ...forged, code: 'BCDF-GHJK' }));
    const none = await outcomeOf(answer(store, anna, { ...forged, code: 'AEIO-UAEI' }));
    expect([right, wrong, none]).toEqual([right, right, right]);
    expect(right[0]).toBe(403);
  });

  it('succeeds for one of two users who approve at the same time', async () => {
    const { store, anna, ben } = await opened();
    for (let round = 0; round < 5; round += 1) {
      const { deviceCode, userCode } = await startDevice(store);
      const [ofAnna, ofBen] = [
        await shownFields(store, anna, userCode),
        await shownFields(store, ben, userCode),
      ];
      const statuses = await Promise.all([
        answer(store, anna, ofAnna).then(({ status }) => status),
        answer(store, ben, ofBen).then(({ status }) => status),
      ]);
      expect(statuses.toSorted()).toEqual([200, 409]);
      const { token } = await bodyOf(pollDevice(store, deviceCode));
      const { person } = await bodyOf(store.call('GET', '/api/developer/whoami', { token }));
      expect(person.id).toBe(statuses[0] === 200 ? 'anna' : 'ben');
    }
  });

  it.each([
    ['without a CSRF token', { csrf: '' }, {}],
    ['with the CSRF token of another session', { csrf: '0'.repeat(64) }, {}],
    ['from another site', {}, { origin: 'https://evil.example' }],
    ['from a page without an origin', {}, { origin: 'null' }],
  ])('is refused if it is forged: %s', async (_how, changed, headers) => {
    const { store, anna } = await opened();
    const { deviceCode, userCode } = await startDevice(store);
    const fields = { ...(await shownFields(store, anna, userCode)), answer: 'approve', ...changed };
    const forged = await store.call('POST', '/device/answer', {
      headers: { cookie: anna.cookie, 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams({ csrf: anna.csrf, ...fields }).toString(),
    });
    expect(forged.status).toBe(403);
    expect(await isPending(store, deviceCode)).toBe(true);
  });

  it('is refused to tokens and to automation', async () => {
    const { store, anna } = await opened();
    const token = await deviceToken(store, anna);
    const { userCode } = await startDevice(store);
    const fields = await shownFields(store, anna, userCode);
    for (const bearer of [token, 'automation-0123456789']) {
      const forged = await store.call('POST', '/device/answer', {
        token: bearer,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ answer: 'approve', ...fields }).toString(),
      });
      expect(forged.status).toBe(403);
    }
  });

  it('counts towards the limit of 50 tokens per user, also before the token is delivered', async () => {
    const { store, anna } = await opened();
    const make = () => store.call('POST', '/api/people/me/tokens', { session: anna, json: { name: 'one' } });
    for (let n = 0; n < 49; n += 1) expect((await make()).status).toBe(201);
    const [first, second] = [await startDevice(store), await startDevice(store)];
    expect((await answerCode(store, anna, first.userCode)).status).toBe(200);
    expect((await answerCode(store, anna, second.userCode)).status).toBe(409);
    expect((await pollDevice(store, first.deviceCode)).status).toBe(200);
    expect(await bodyOf(make())).toMatchObject({ httpStatus: 409, code: 'limit_reached' });
  });
});
