import { readInterop } from '@svc/testkit';
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

it('names who signed in, from the ID token or a readable access token, as one clean line', async () => {
  const jwt = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.sig`;
  const holderOf = async (fields: object) => {
    const result = await tokenResult(
      Promise.resolve(Response.json({ access_token: 'opaque', ...fields })),
      [],
    );
    return result.outcome === 'tokens' ? result.tokens.holder : result;
  };
  const anna = { name: 'Anna', email: 'anna@example.com' };
  expect(await holderOf({ id_token: jwt(anna) })).toBe('anna@example.com');
  expect(await holderOf({ access_token: jwt({ name: 'Anna\u202e\n' }) })).toBe('Anna');
  for (const id_token of ['x', 'a.b.c', jwt([]), jwt({ email: 7 }), 5, null])
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
    { numRuns: 60 },
  );
});
