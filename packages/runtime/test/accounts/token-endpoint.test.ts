import { readInterop } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { validateAuthorizationResponse } from '../../src/accounts/authorization.ts';
import { requestsOf } from '../../src/accounts/requests.ts';
import { exchangeCode, revokeToken } from '../../src/accounts/token-endpoint.ts';
import { type Answer, fakeWeb, json } from '../support/fake-web.ts';
import { fakeSystem, HOUR, USE } from '../support/open-accounts.ts';
import type { RequestVector } from '../support/relay-requests.ts';
import { namedServer } from '../support/sample-servers.ts';
import { AS, DECLARED, failing, TOKENS, trying } from '../support/sign-in.ts';

const vectors = readInterop('relay', 'requests.json') as RequestVector[];

describe('the interop vectors', () => {
  it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', async (_name, vector) => {
    const { clientId, code, form, redirectUri, resource, state, verifier } = vector;
    const server = namedServer({});
    const web = fakeWeb({ [server.tokenEndpoint]: () => json(TOKENS) });
    const requests = requestsOf({ guard: web.guard, system: fakeSystem() }, false);
    const answer = await validateAuthorizationResponse(
      requests,
      server,
      { code },
      { clientId, state, verifier },
    );
    const client = { id: clientId, secret: null, method: 'none' } as const;
    const source = { server, client, resource };
    expect(await exchangeCode(source, requests, { answer, redirectUri, verifier })).toMatchObject({
      accessToken: 'at-1',
    });
    expect(Object.fromEntries(new URLSearchParams(web.bodies[0]))).toEqual(form);
    expect(web.asked.map(({ method, url }) => [method, url])).toEqual([['POST', server.tokenEndpoint]]);
  });
});

it('a revocation hides no fault of this program', async () => {
  const fetch = () => Promise.reject(new TypeError('a bug'));
  const requests = { ...requestsOf({ guard: () => fetch, system: fakeSystem() }, false), fetch };
  const { issuer, tokenEndpoint } = namedServer({});
  const server = { issuer, tokenEndpoint, revocationEndpoint: 'https://login.example.com/revoke' };
  const client = { id: 'c', secret: null, method: 'none' } as const;
  const revoking = revokeToken({ token: 't', hint: 'access_token', server, client }, requests);
  await expect(revoking).rejects.toThrow(TypeError);
});

describe('a response of the token endpoint', () => {
  it.each<[string, Answer]>([
    ['is not JSON', () => new Response('<html>')],
    ['is null', () => json(null)],
    ['has a number as its token', () => json({ ...TOKENS, access_token: 1 })],
    ['has a token with a line break', () => json({ ...TOKENS, access_token: 'a\r\nX-Evil: 1' })],
    ['has a token that is too long for a header', () => json({ ...TOKENS, access_token: 'a'.repeat(9000) })],
    ['has an empty token', () => json({ ...TOKENS, access_token: '' })],
    ['has another token_type', () => json({ ...TOKENS, token_type: 'DPoP' })],
    ['has status 500', () => json(TOKENS, 500)],
    ['has status 206', () => json(TOKENS, 206)],
    [
      'is a redirect',
      () => new Response('', { status: 307, headers: { location: 'https://evil.example/' } }),
    ],
    ['does not arrive', () => Promise.reject(new TypeError('fetch failed: code=the-code-0123456789'))],
  ])('that %s fails the sign-in, with an error that does not contain the code', async (_what, answer) => {
    expect(await failing(DECLARED, { [`${AS}/token`]: answer })).not.toContain('the-code');
  });

  it.each([
    [1e300, 365 * 24 * 3600],
    ['60', 60],
  ])('with expires_in %s is valid for %s seconds', async (given, seconds) => {
    const { accounts, app } = await trying(DECLARED, {
      [`${AS}/token`]: () => json({ ...TOKENS, expires_in: given }),
    });
    const before = Date.now();
    await accounts.connect(app, 'main');
    const [status] = await accounts.list(app);
    const at = Date.parse(status?.expiresAt ?? '') - seconds * 1000;
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(Date.now());
  });

  it.each([-1, '-5', 'soon', '', null, true, {}, []])(
    'with expires_in %j has no known expiry',
    async (given) => {
      const { accounts, app } = await trying(DECLARED, {
        [`${AS}/token`]: () => json({ ...TOKENS, expires_in: given }),
      });
      await accounts.connect(app, 'main');
      expect(await accounts.list(app)).toMatchObject([{ connected: true, expiresAt: null }]);
      accounts.pass(30 * 24 * HOUR);
      expect(await accounts.token(app, 'main', USE)).toBe('at-1');
    },
  );

  it.each([0, '0'])('with expires_in %j has expired: the next call renews it', async (given) => {
    const { accounts, app, web } = await trying(DECLARED, {
      [`${AS}/token`]: () => json({ ...TOKENS, expires_in: given }),
    });
    await accounts.connect(app, 'main');
    expect(await accounts.token(app, 'main', USE)).toBe('at-1');
    expect(web.bodies.filter((body) => body.includes('grant_type=refresh_token'))).toHaveLength(1);
  });

  it('with an error is reported without secrets and control characters', async () => {
    const echo: Answer = async (request) => {
      const sent = new URLSearchParams(await request.text());
      const verifier = sent.get('code_verifier') ?? '';
      return json({ error: 'invalid_grant', error_description: `no: ${verifier.slice(3, 30)}` }, 400);
    };
    const echoCode: Answer = async (request) => {
      const sent = new URLSearchParams(await request.text());
      return json({ error: 'invalid_grant', error_description: `no: ${sent.get('code')}` }, 400);
    };
    for (const answer of [echo, echoCode])
      expect(await failing(DECLARED, { [`${AS}/token`]: answer })).toBe(
        'The authorization server refuses (invalid_grant)',
      );
    const ugly = { error: 'bad\u001b[2J', error_description: `\u202eevil\u0000\n${'x'.repeat(5000)}` };
    const said = await failing(DECLARED, { [`${AS}/token`]: () => json(ugly, 400) });
    expect(said).toMatch(/^The authorization server refuses \(without a reason\): evil x{100,}…$/);
    expect(said.length).toBeLessThan(300);
  });

  it('with more scopes than requested does not change the scopes of later requests', async () => {
    let refreshed = '';
    const { accounts, app } = await trying(DECLARED, {
      [`${AS}/token`]: async (request) => {
        refreshed = await request.text();
        return json({ ...TOKENS, scope: 'read admin' });
      },
    });
    await accounts.connect(app, 'main');
    const [status] = await accounts.list(app);
    expect(status?.scopes).toEqual(['read', 'admin']);
    accounts.pass(3600_000);
    await accounts.token(app, 'main', USE);
    expect(refreshed).toContain('grant_type=refresh_token');
    expect(refreshed).not.toContain('admin');
    await accounts.connect(app, 'main');
    expect(accounts.opened[1]?.searchParams.get('scope')).toBe('read');
  });
});
