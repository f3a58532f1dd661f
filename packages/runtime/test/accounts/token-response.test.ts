import { readInterop, runs } from '@svc/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OAuthError } from '../../src/accounts/oauth-error.ts';
import { kindOf, OUTCOMES, tokenResult } from '../../src/accounts/token-response.ts';
import type { InstalledApp } from '../../src/library/installed-app.ts';
import { said } from '../support/calls.ts';
import type { RefreshVector } from '../support/relay-refreshes.ts';
import type { RefreshAnswer } from '../support/wild-servers.ts';
import { type Auth, vaultOf, wildApp, wildClient, wildServers } from '../support/wild-world.ts';

const vectors = readInterop('relay', 'refreshes.json') as RefreshVector[];

describe('the interop vectors', () => {
  it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', async (_name, vector) => {
    const { status, contentType, body, outcome, lifetimeSeconds, error } = vector;
    const response = new Response(body, { status, headers: { 'content-type': contentType } });
    const result = await tokenResult(Promise.resolve(response), []);
    expect(result.outcome).toBe(outcome);
    if (result.outcome !== 'tokens') expect(result.fault.oauthError).toBe(error ?? null);
    else
      expect(result.tokens.lifetimeMs).toBe(lifetimeSeconds === null ? null : (lifetimeSeconds ?? 0) * 1000);
  });
});

it('is an outage without a response, and hides no fault of this program', async () => {
  const fault = new OAuthError('The server does not respond.');
  expect(await tokenResult(Promise.reject(fault), [])).toEqual({ outcome: OUTCOMES.unanswered, fault });
  await expect(tokenResult(Promise.reject(new TypeError('x')), [])).rejects.toThrow(TypeError);
});

/** Reads a response of a token endpoint. */
const read = (body: string, status = 200, type = 'application/json', secrets: string[] = []) =>
  tokenResult(Promise.resolve(new Response(body, { status, headers: { 'content-type': type } })), secrets);

/** The tokens of a response with these fields beside the token; the whole result when it has none. */
async function tokensOf(fields: object) {
  const result = await read(JSON.stringify({ access_token: 'at', ...fields }));
  return result.outcome === 'tokens' ? result.tokens : result;
}

it.each([
  [200, '{"access_token":"at"}', 'tokens'],
  [201, '{"access_token":"at"}', 'tokens'],
  [202, '{"access_token":"at"}', 'unreadable'],
  [200, '{"expires_in":60}', 'unreadable'],
  [200, '[]', 'unreadable'],
])('a response with status %i and %s is of the kind %s', (status, text, kind) => {
  expect(kindOf(status, text, 'application/json')).toBe(kind);
});

const OUTAGE = expect.objectContaining({ outcome: 'outage' });

describe('a response with a token', () => {
  it.each<[object, object]>([
    [{}, { accessToken: 'at', refreshToken: null, lifetimeMs: null, scopes: null }],
    [{ token_type: 'BEARER' }, { accessToken: 'at' }],
    ...['', null, 'user', 'BearerToken', ' bearer '].map((token_type): [object, object] => [
      { token_type },
      { accessToken: 'at' },
    ]),
    [{ access_token: undefined, authed_user: { access_token: 'of-user' } }, { accessToken: 'of-user' }],
    [{ access_token: undefined, data: { access_token: 'in', expires_in: 60 } }, { lifetimeMs: 60_000 }],
    [{ data: { access_token: 'in' } }, { accessToken: 'at' }],
    [{ expires_in: '60.5' }, { lifetimeMs: 60_500 }],
    [{ expires_in: 0 }, { lifetimeMs: 0 }],
    [{ expires_in: '000000000000060' }, { lifetimeMs: 60_000 }],
    [{ expires_in: '0000000000000060' }, { lifetimeMs: null }],
    [{ expires_in: '6e1' }, { lifetimeMs: null }],
    [{ refresh_token: '' }, { refreshToken: null }],
    [{ refresh_token: 7 }, { refreshToken: null }],
    [{ refresh_token: 'r'.repeat(8192) }, { refreshToken: 'r'.repeat(8192) }],
    [{ refresh_token: 'r'.repeat(8193) }, { refreshToken: null }],
    [{ scope: 'a  b ' }, { scopes: ['a', 'b'] }],
    [{ scope: 'a,b' }, { scopes: ['a', 'b'] }],
    [{ scope: '' }, { scopes: null }],
    [{ scope: ['a'] }, { scopes: null }],
    [{ access_token: 'a'.repeat(8192) }, { accessToken: 'a'.repeat(8192) }],
  ])('that has %j besides is read', async (fields, expected) => {
    expect(await tokensOf(fields)).toMatchObject(expected);
  });

  it.each([
    { access_token: '' },
    { access_token: 'a b' },
    { access_token: 'é' },
    { access_token: 'a'.repeat(8193) },
    { token_type: 'DPoP' },
    { token_type: 'MAC' },
    { token_type: 7 },
  ])('is an outage with %j, which no header can carry or no server takes', async (fields) => {
    expect(await tokensOf(fields)).toEqual(OUTAGE);
  });

  it('may be form-encoded, as its content type says', async () => {
    const form = 'access_token=at&scope=a+b';
    for (const type of [
      'application/x-www-form-urlencoded',
      'Application/X-WWW-Form-URLencoded; charset=UTF-8',
      'text/plain',
    ])
      expect(await read(form, 200, type)).toMatchObject({
        tokens: { accessToken: 'at', scopes: ['a', 'b'] },
      });
    expect(await read(form)).toEqual(OUTAGE);
  });
});

describe('a response without a token', () => {
  it.each<[number, string, string, string]>([
    [200, '{"error":""}', 'outage', 'The authorization server answers 200 without a token.'],
    [200, '{"error":null}', 'outage', 'The authorization server answers 200 without a token.'],
    [200, '{"error":false}', 'outage', 'The authorization server answers 200 without a token.'],
    [202, '{"access_token":"at"}', 'outage', 'The authorization server answers 202 without a token.'],
    [200, '{"error":7}', 'refused', 'The authorization server refuses (without a reason)'],
    [200, '{"ERROR":"invalid_grant"}', 'refused', 'The authorization server refuses (invalid_grant)'],
    [
      403,
      '{"error":"invalid_grant","Error_Description":"Too old."}',
      'refused',
      'The authorization server refuses (invalid_grant): Too old.',
    ],
    [
      403,
      '{"error":"invalid_grant","error_description":["Too old."]}',
      'refused',
      'The authorization server refuses (invalid_grant)',
    ],
    [400, '<html>', 'refused', 'The authorization server refuses (400).'],
    [401, '[]', 'refused', 'The authorization server refuses (401).'],
    [402, '{}', 'outage', 'The authorization server answers 402 without a token.'],
    [408, '{"error":"invalid_grant"}', 'outage', 'The authorization server fails (408).'],
    [429, '{"error":"invalid_grant"}', 'outage', 'The authorization server fails (429).'],
    [499, '{"error":"invalid_grant"}', 'refused', 'The authorization server refuses (invalid_grant)'],
    [500, '{"error":"invalid_grant"}', 'outage', 'The authorization server fails (500).'],
  ])('%i with %s is: %s', async (status, body, outcome, message) => {
    const result = await read(body, status);
    expect([result.outcome, 'fault' in result && result.fault.message]).toEqual([outcome, message]);
  });

  it('is not quoted where it repeats a secret', async () => {
    const body = JSON.stringify({ error: 'invalid_grant', error_description: 'rt-0123456789 is unknown' });
    const result = await read(body, 400, 'application/json', ['rt-0123456789']);
    expect(result).toMatchObject({ fault: { message: 'The authorization server refuses (invalid_grant)' } });
  });
});

it('names who signed in, from the ID token or a readable access token, as one clean line', async () => {
  const jwt = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.sig`;
  const holderOf = async (fields: object) => Reflect.get(await tokensOf(fields), 'holder');
  const anna = { name: 'Anna', preferred_username: 'anna', email: 'anna@example.com' };
  expect(await holderOf({ id_token: jwt(anna), access_token: jwt({ email: 'other' }) })).toBe(anna.email);
  expect(await holderOf({ id_token: jwt({ ...anna, email: 7 }) })).toBe('anna');
  expect(await holderOf({ id_token: 'opaque', access_token: jwt({ name: 'Anna\u202e\n' }) })).toBe('Anna');
  expect(await holderOf({ id_token: jwt({ name: 'x'.repeat(1000) }) })).toHaveLength(120);
  // A token that is too long for its claims to be read: 32 KiB.
  const length = Math.floor(((32 * 1024 - 8) * 3) / 4) - 22;
  expect(await holderOf({ id_token: jwt({ name: 'Anna', more: 'x'.repeat(length - 100) }) })).toBe('Anna');
  expect(await holderOf({ id_token: jwt({ name: 'Anna', more: 'x'.repeat(length + 100) }) })).toBe(undefined);
  const [header, claims] = jwt(anna).split('.');
  for (const id_token of [
    'x',
    'a.b.c',
    jwt([]),
    jwt({ email: 7 }),
    5,
    null,
    `${header}.${claims}`,
    `${jwt(anna)}.x`,
  ])
    expect(await holderOf({ id_token })).toBe(undefined);
});

it('classifies every possible response', () => {
  const answers = fc.tuple(
    fc.integer({ min: 200, max: 599 }),
    fc.oneof(fc.string(), fc.json()),
    fc.constantFrom('application/json', 'text/html', 'application/x-www-form-urlencoded', ''),
  );
  fc.assert(
    fc.property(answers, ([status, body, type]) => {
      expect(OUTCOMES).toHaveProperty(kindOf(status, body, type));
    }),
  );
});

/** Answers of a token endpoint to a refresh request. */
const answer: fc.Arbitrary<RefreshAnswer> = fc.oneof(
  fc.record({
    kind: fc.constant('tokens' as const),
    expiresIn: fc.constantFrom(3600, '60', 0, -1, 'soon', null),
    rotate: fc.boolean(),
  }),
  fc.constant({ kind: 'closed' as const }),
  fc.record({
    kind: fc.constant('raw' as const),
    status: fc.constantFrom(200, 201, 204, 302, 400, 401, 403, 404, 408, 410, 429, 500, 502, 503),
    body: fc.constantFrom(
      '',
      '<html>',
      '{}',
      'null',
      '{"error":"invalid_grant"}',
      '{"error":"INVALID_CLIENT"}',
      '{"ERROR":"whatever"}',
      '{"error":{"code":1}}',
      '{"access_token":"","token_type":"bearer"}',
      '{"access_token":"\\n","token_type":"bearer"}',
      '{"access_token":"x","token_type":"DPoP"}',
    ),
    type: fc.constantFrom('application/json', 'text/html'),
  }),
);

/** Answers of a user to one card. */
const user = fc.constantFrom(
  { accepted: true } as const,
  { accepted: true, choice: 'retry' } as const,
  { accepted: false } as const,
);

/** The vault holds the grants of accounts that are listed as connected, and no other token. */
async function expectNoStrays({ accounts, folder }: Client, app: InstalledApp): Promise<void> {
  const listed = (await accounts.list(app)).filter(({ connected }) => connected).map(({ id }) => id);
  const { entries } = vaultOf(folder);
  const kept = await entries('account');
  expect(kept.map(([[, appId, accountId]]) => [appId, accountId])).toEqual(
    listed.map((id) => [app.appId, id]),
  );
  expect(await entries('revocation')).toEqual([]);
}

type Client = Awaited<ReturnType<typeof wildClient>>;

it('ends each call with a result, a Connect card or token-unavailable, and keeps no token of an account that is not connected', async () => {
  const servers = await wildServers();
  const round = fc.record({ answers: fc.array(answer, { maxLength: 3 }), refusesToken: fc.boolean() });
  const plays = fc.record({
    auth: fc.constantFrom<Auth>('declared', 'mcp'),
    rounds: fc.array(round, { minLength: 1, maxLength: 4 }),
    users: fc.array(user, { maxLength: 6 }),
  });
  await fc.assert(
    fc.asyncProperty(plays, async ({ auth, rounds, users }) => {
      const app = wildApp(servers, auth);
      const client = await wildClient(servers, app);
      const answers = [...users];
      await client.call();
      client.setAnswer(() => answers.shift() ?? { accepted: false });
      for (const { answers: script, refusesToken } of rounds) {
        servers.oauth.script.splice(0, Number.POSITIVE_INFINITY, ...script);
        if (refusesToken) servers.oauth.access.clear();
        else client.expire();
        client.cards.length = 0;
        const end = await client.call().catch((error: unknown) => error);
        const { code } = end as { code?: string };
        if (code === undefined) expect(end).toEqual(said('did say'));
        else expect(client.cards.length > 0 || code === 'token-unavailable').toBe(true);
        if (code !== undefined) expect(['declined', 'token-unavailable']).toContain(code);
        await expectNoStrays(client, app);
      }
      await client.close();
    }),
    { numRuns: runs(60) },
  );
});
