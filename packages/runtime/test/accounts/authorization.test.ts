import type { RequestListener } from 'node:http';
import { readInterop } from '@svc/testkit';
import { serveHere } from '@svc/testkit/http-server';
import { describe, expect, it } from 'vitest';
import {
  authorizationUrl,
  scopesToAsk,
  validateAuthorizationResponse,
} from '../../src/accounts/authorization.ts';
import { awaitAnswer, redirectUriOf } from '../../src/accounts/relay.ts';
import { requestsOf } from '../../src/accounts/requests.ts';
import { type Answer, fakeWeb, json } from '../support/fake-web.ts';
import { fakeSystem } from '../support/open-accounts.ts';
import type { AnswerVector } from '../support/relay-answers.ts';
import type { ChallengeVector, RequestVector } from '../support/relay-requests.ts';
import { namedServer } from '../support/sample-servers.ts';
import { AS, DECLARED, DISCOVERED, failing, METADATA, trying } from '../support/sign-in.ts';

const challenges = readInterop('relay', 'challenges.json') as ChallengeVector[];
const requests = readInterop('relay', 'requests.json') as RequestVector[];

/** The query as an object; a duplicate parameter fails the test. */
function onlyOnes(search: URLSearchParams): Record<string, string> {
  const query = Object.fromEntries(search);
  expect([...search.keys()].length).toBe(Object.keys(query).length);
  return query;
}

describe('the interop vectors', () => {
  it.each(challenges.map((vector) => [vector.name, vector] as const))('%s', (_name, vector) => {
    const { verifier, challenge } = vector;
    const url = new URL(
      authorizationUrl({
        ...{ server: namedServer({}), clientId: 'c', redirectUri: 'r', state: 's', verifier },
        ...{ scopes: null, resource: null, params: {} },
      }),
    );
    expect(url.searchParams.get('code_challenge')).toBe(challenge);
    expect(url.href).not.toContain(verifier);
  });

  it.each(requests.map((vector) => [vector.name, vector] as const))('%s', (_name, vector) => {
    const { store, authorizeUrl, redirectUri, opened, ...asked } = vector;
    expect(redirectUriOf(store)).toBe(redirectUri);
    const server = namedServer({ authorizationEndpoint: authorizeUrl });
    const url = new URL(authorizationUrl({ ...asked, server, redirectUri }));
    expect(onlyOnes(url.searchParams)).toEqual(opened.query);
    expect([url.origin + url.pathname, url.hash]).toEqual([opened.address, '']);
  });
});

const vectors = readInterop('relay', 'answers.json') as AnswerVector[];
const LATER = JSON.stringify({ code: 'later' });
const sent = { clientId: 'client-1', state: 'Jx0o5r9d-m3Qb7_tKzP2yA', verifier: 'v'.repeat(43) };

/** A sign-in whose relay first returns the answer of a vector, and a code to later requests. */
async function signIn({ server, metadata, status, body }: AnswerVector) {
  let asked = 0;
  const store = await serveHere(
    (): RequestListener => (_request, response) => {
      asked += 1;
      response.writeHead(asked === 1 ? status : 200, { 'content-type': 'application/json' });
      response.end(asked === 1 ? body : LATER);
    },
  );
  const system = fakeSystem();
  const forever = new AbortController().signal;
  const came = await awaitAnswer({ fetchStore: fetch, system }, { store, state: sent.state }, forever);
  const issuer = metadata && new URL(metadata.issuer ?? '');
  const path = issuer?.pathname === '/' ? '' : issuer?.pathname;
  const pages: Record<string, Answer> = issuer
    ? { [`${issuer.origin}/.well-known/oauth-authorization-server${path}`]: () => json(metadata) }
    : {};
  const requests = requestsOf({ guard: fakeWeb(pages).guard, system }, false);
  const { namesItself: supportsIss, ...addresses } = server;
  const named = { ...addresses, supportsIss };
  return {
    again: asked > 1,
    came,
    checked: () => validateAuthorizationResponse(requests, namedServer(named), came, sent),
  };
}

describe('the interop vectors', () => {
  it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', async (_name, vector) => {
    const ending = signIn(vector).then(async ({ again, came, checked }) =>
      again ? { outcome: 'wait', came } : checked(),
    );
    if (vector.outcome === 'fail') {
      const error = await ending.catch((reason: unknown) => reason);
      expect(error).toMatchObject({ name: 'OAuthError', oauthError: vector.error ?? null });
    } else if (vector.outcome === 'wait') {
      expect(await ending).toEqual({ outcome: 'wait', came: { code: 'later' } });
    } else expect(Object.fromEntries((await ending) as URLSearchParams)).toMatchObject({ code: vector.code });
  });
});

describe('an authorization response', () => {
  it.each([
    ['from another issuer', DISCOVERED, {}, 'https://other.example'],
    ['from an issuer that differs by a slash', DISCOVERED, {}, `${AS}/`],
    [
      'without iss, although the server always sends it',
      DISCOVERED,
      { authorization_response_iss_parameter_supported: true },
      undefined,
    ],
    ['from another issuer than the server of the manifest', DECLARED, {}, 'https://other.example'],
  ])('is rejected when it comes %s', async (_what, account, change, iss) => {
    const pages = {
      [`${AS}/.well-known/oauth-authorization-server`]: () => json({ ...METADATA, ...change }),
      [`${AS}/token`]: () => {
        throw new Error('the code was sent away');
      },
    };
    const said = await failing(account, pages, { code: 'c', ...(iss !== undefined && { iss }) });
    expect(said).toMatch(/from another server|cannot be verified/);
  });

  it('of an honest server is not redeemed by an app that declares that server with a token endpoint of its own', async () => {
    const stolen: string[] = [];
    const evil = 'https://evil.example/token';
    const pages = {
      [`${AS}/.well-known/oauth-authorization-server`]: () => json(METADATA),
      [evil]: async (request: Request) => {
        stolen.push(await request.text());
        return json({ access_token: 'at', token_type: 'Bearer' });
      },
    };
    const said = await failing({ ...DECLARED, tokenUrl: evil }, pages, { code: 'c', iss: AS });
    expect(said).toContain('another server than evil.example');
    expect(stolen).toEqual([]);
  });

  it.each([
    ['of the same origin, at another endpoint', AS, `${AS}/v2/authorize`, null],
    ['of another origin, at the same endpoint', 'https://id.example.com', DECLARED.authorizeUrl, null],
    [
      'of another origin, at another endpoint',
      'https://id.example.com',
      `${AS}/v2/authorize`,
      'another server',
    ],
  ])('of an issuer %s', async (_what, issuer, authorization_endpoint, refusal) => {
    const published = { ...METADATA, issuer, authorization_endpoint };
    const pages = { [`${issuer}/.well-known/oauth-authorization-server`]: () => json(published) };
    const { accounts, app } = await trying(DECLARED, pages, { code: 'c', iss: issuer });
    const error = await accounts.connect(app, 'main').catch((reason: Error) => reason.message);
    if (refusal === null) expect(error).toBeUndefined();
    else expect(error).toContain(refusal);
  });

  it('with an error is reported by its code and description', async () => {
    const said = await failing(DECLARED, {}, { error: 'access_denied', error_description: 'not today' });
    expect(said).toBe('The authorization server refuses (access_denied): not today');
  });
});

const NONE = { signed: [], offered: null, added: [], offersOfflineAccess: false };

describe('the scopes of a sign-in', () => {
  it.each([
    ['are left to the server when neither the manifest nor the server names any', {}, null],
    ['do not consist of offline_access alone', { offersOfflineAccess: true }, null],
    ['are those that the server asks for', { offered: ['a'] }, ['a']],
    [
      'include offline_access when the server offers it',
      { offered: ['a'], offersOfflineAccess: true },
      ['a', 'offline_access'],
    ],
    [
      'are those that the server asks for and those that a token lacked',
      { offered: ['a'], added: ['b', 'a'] },
      ['a', 'b'],
    ],
    [
      'are those of the manifest when it names any',
      { signed: ['s', 't', 's'], offered: ['a'], added: ['t'], offersOfflineAccess: true },
      ['s', 't'],
    ],
  ])('%s', (_what, wishes, expected) => {
    expect(scopesToAsk({ ...NONE, ...wishes })).toEqual(expected);
  });

  it('never exceed those of the manifest', () => {
    const wishes = { ...NONE, signed: ['s'], added: ['s', 'admin', 'root'] };
    expect(() => scopesToAsk(wishes)).toThrow(
      expect.objectContaining({
        code: 'scope-refused',
        message: 'The app’s server requires scopes that the app does not declare: admin root',
      }),
    );
  });
});
