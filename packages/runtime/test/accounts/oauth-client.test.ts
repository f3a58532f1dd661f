import type { Account } from '@svc/contracts';
import { describe, expect, it, vi } from 'vitest';
import { type ClientIdentity, clientFor, deleteRegistration } from '../../src/accounts/oauth-client.ts';
import { requestsOf } from '../../src/accounts/requests.ts';
import { RuntimeError } from '../../src/platform/runtime-error.ts';
import type { Vault } from '../../src/vault/vault.ts';
import { type Answer, fakeWeb, json } from '../support/fake-web.ts';
import { realSystem } from '../support/real-system.ts';
import { appWith } from '../support/sample-apps.ts';
import { namedServer } from '../support/sample-servers.ts';
import { DECLARED, DISCOVERED } from '../support/sign-in.ts';

const ISSUER = 'https://login.example.com';
const REGISTER = `${ISSUER}/register`;
const STORE = 'https://store.example.com';
const redirectUri = `${STORE}/apps/oauth/callback`;

/** A client of one server, whose registrations a test answers. */
function clientAt(
  answer: Answer,
  {
    server = {},
    account = DISCOVERED as Account,
    identity = {} as Partial<ClientIdentity>,
    document = null as string | null,
    signal = undefined as AbortSignal | undefined,
  } = {},
) {
  const web = fakeWeb({ [REGISTER]: answer });
  const entries = new Map<string, string>();
  const vault = {
    read: async (name: readonly string[]) => entries.get(name.join(' ')) ?? null,
    async change(name: readonly string[], edit: (text: string | null) => string | null) {
      const text = edit(entries.get(name.join(' ')) ?? null);
      if (text === null) entries.delete(name.join(' '));
      else entries.set(name.join(' '), text);
    },
  } as unknown as Vault;
  let at = 1_000_000;
  const deps = {
    vault,
    identity: { name: 'A chat client', ...identity },
    system: { now: () => at },
    documents: { find: async () => document, refuse: () => undefined },
  };
  const purpose = {
    app: appWith([account]),
    account,
    server: namedServer({ registrationEndpoint: REGISTER, ...server }),
    store: STORE,
    redirectUri,
  };
  const requests = requestsOf({ guard: web.guard, system: realSystem }, false, signal);
  return {
    ...web,
    find: () => clientFor(deps, requests, purpose),
    drop: (issuer: string, uri: string) => deleteRegistration({ vault }, issuer, uri),
    pass: (ms: number) => {
      at += ms;
    },
  };
}

const registering = (answer: object, status = 201, server: object = {}) =>
  clientAt(() => json({ client_id: 'c', ...answer }, status), { server });

describe('a registration (RFC 7591)', () => {
  it.each([
    [null, 'none'],
    [['none', 'client_secret_basic'], 'none'],
    [['client_secret_post', 'client_secret_basic'], 'client_secret_basic'],
    [['private_key_jwt', 'client_secret_post'], 'client_secret_post'],
  ])('at a server with the methods %j asks for %s', async (clientMethods, method) => {
    const { find, bodies, asked } = registering({}, 201, { clientMethods });
    await find();
    expect(asked.map(({ url, method }) => [method, url])).toEqual([['POST', REGISTER]]);
    expect(JSON.parse(bodies[0] ?? '')).toEqual({
      client_name: 'A chat client',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: method,
      application_type: 'web',
    });
  });

  it('asks for no refresh tokens where the server lists its grant types without them', async () => {
    const { find, bodies } = registering({}, 201, { offersRefresh: false });
    await find();
    expect(JSON.parse(bodies[0] ?? '').grant_types).toEqual(['authorization_code']);
  });

  it('is sent again where the server redirects it on its own origin, and only to public addresses', async () => {
    const moved = () => new Response('', { status: 307, headers: { location: '/register?slash' } });
    const { find, asked } = clientAt(({ url }) => (url === REGISTER ? moved() : json({ client_id: 7 }, 201)));
    expect(await find()).toMatchObject({ id: '7' });
    expect(asked.map(({ method }) => method)).toEqual(['POST', 'POST']);
    const inside = { server: { registrationEndpoint: 'http://10.0.0.1/register' } };
    await expect(clientAt(moved, inside).find()).rejects.toMatchObject({ message: /not https/ });
    const own = { ...inside, account: { ...DISCOVERED, clientId: 'own' } };
    expect(await clientAt(moved, own).find()).toMatchObject({ id: 'own' });
  });

  it('is not sent to a server with other methods only', async () => {
    const { find, asked } = registering({}, 201, { clientMethods: ['private_key_jwt'] });
    await expect(find()).rejects.toMatchObject({ name: 'OAuthError' });
    expect(asked).toEqual([]);
  });

  it.each([
    [{}, null, 'none'],
    [{ client_secret: '' }, null, 'none'],
    [{ client_secret: null }, null, 'none'],
    [{ token_endpoint_auth_method: 'client_secret_post' }, null, 'none'],
    [{ client_secret: 's' }, 's', 'client_secret_basic'],
    [{ client_secret: 's', token_endpoint_auth_method: '' }, 's', 'client_secret_basic'],
    [{ client_secret: 's', token_endpoint_auth_method: 'none' }, 's', 'client_secret_basic'],
    [{ client_secret: 's', token_endpoint_auth_method: 'CLIENT_SECRET_POST' }, 's', 'client_secret_post'],
    [{ error: 'of another program' }, null, 'none'],
    [{ client_id: 'c'.repeat(2000) }, null, 'none'],
  ])('answered with %j gives a client with the secret %j by %s', async (answer, secret, method) => {
    const id = 'client_id' in answer ? answer.client_id : 'c';
    for (const status of [200, 201])
      expect(await registering(answer, status).find()).toEqual({ id, secret, method });
  });

  it.each<[string, Answer, string]>([
    ['a page', () => new Response('<html>', { status: 201 }), 'The registration is not a JSON object.'],
    ['a list', () => json([], 201), 'The registration is not a JSON object.'],
    [
      'an error',
      () => json({ error: 'invalid_redirect_uri', error_description: 'Not https.' }, 400),
      'The authorization server refuses (invalid_redirect_uri): Not https.',
    ],
    [
      'an error with a number as its description',
      () => json({ error: 'invalid_redirect_uri', error_description: 7 }, 400),
      'The authorization server refuses (invalid_redirect_uri)',
    ],
    [
      'a failure',
      () => json({ client_id: 'c' }, 500),
      'The authorization server refused the registration (500).',
    ],
    [
      'a page of a firewall',
      () => new Response('<html>', { status: 403 }),
      'The authorization server refused the registration (403).',
    ],
    ...[
      { client_id: '' },
      { client_id: 'ü' },
      { client_id: 'c'.repeat(2001) },
      { client_secret: 'a\nb' },
      { token_endpoint_auth_method: 'private_key_jwt' },
    ].map((fault): [string, Answer, string] => [
      JSON.stringify(fault).slice(0, 60),
      () => json({ client_id: 'c', ...fault }, 201),
      'The authorization server sent an invalid registration.',
    ]),
  ])('answered with %s gives none', async (_what, answer, message) => {
    await expect(clientAt(answer).find()).rejects.toMatchObject({ name: 'OAuthError', message });
  });

  it.each([
    [{ client_secret: 's', client_secret_expires_at: 1_060 }, [1, 1, 2]],
    [{ client_secret: 's', client_secret_expires_at: '1060' }, [1, 1, 2]],
    [{ client_secret: 's', client_secret_expires_at: 0 }, [1, 1, 1]],
    [{ client_secret: 's', client_secret_expires_at: '' }, [1, 1, 1]],
    [{ client_secret: 's', client_secret_expires_at: -1 }, [1, 1, 1]],
    [{ client_secret: 's', client_secret_expires_at: 'never' }, [1, 1, 1]],
    [{ client_secret: 's' }, [1, 1, 1]],
    // The end of a secret, not of the client.
    [{ client_secret_expires_at: 1_060 }, [1, 1, 1]],
  ])('answered with %j is used until then', async (answer, expected) => {
    const { find, pass, asked } = registering(answer);
    const registered: number[] = [];
    for (const ms of [0, 59_999, 1]) {
      pass(ms);
      await find();
      registered.push(asked.length);
    }
    expect(registered).toEqual(expected);
  });

  it('is sent again when it was deleted, for its server and store only', async () => {
    const { find, drop, asked } = registering({});
    await find();
    await drop('https://other.example.com', redirectUri);
    await drop(ISSUER, 'https://other.example.com/apps/oauth/callback');
    await find();
    expect(asked).toHaveLength(1);
    await drop(ISSUER, redirectUri);
    await find();
    expect(asked).toHaveLength(2);
  });
});

describe('the client of a server', () => {
  const fails: Answer = () => json({ error: 'access_denied' }, 403);

  it.each([
    [{ clientId: 'known' }, null, { secret: null, method: 'none' }],
    [{ clientId: 'known', clientSecret: 's' }, null, { secret: 's', method: 'client_secret_basic' }],
    [
      { clientId: 'known', clientSecret: 's' },
      ['client_secret_post'],
      { secret: 's', method: 'client_secret_post' },
    ],
    [
      { clientId: 'known', clientSecret: 's' },
      ['none', 'client_secret_post'],
      { secret: 's', method: 'client_secret_post' },
    ],
    [{ clientId: 'known' }, ['private_key_jwt'], { secret: null, method: 'none' }],
  ])('is the one that the program registered beforehand: %j', async (known, clientMethods, expected) => {
    const registered = vi.fn(() => known);
    const { find, asked } = clientAt(fails, {
      server: { clientMethods },
      identity: { registered },
      document: 'https://client.example/id.json',
    });
    expect(await find()).toEqual({ id: 'known', ...expected });
    expect(registered.mock.calls).toEqual([[ISSUER]]);
    expect(asked).toEqual([]);
  });

  it('is that of the manifest where its endpoints are, whatever the program registered', async () => {
    const registered = vi.fn(() => ({ clientId: 'known' }));
    const server = { issuer: null, registrationEndpoint: null };
    const declared = clientAt(fails, { server, account: DECLARED, identity: { registered } });
    expect(await declared.find()).toEqual({ id: 'public-client', secret: null, method: 'none' });
    const { clientId: _none, ...account } = DECLARED;
    const without = clientAt(fails, { server, account, identity: { registered } });
    await expect(without.find()).rejects.toMatchObject({ message: /registers no new clients/ });
    expect(registered).not.toHaveBeenCalled();
  });

  it('is a document, else one that is registered, else that of the manifest', async () => {
    const account = { ...DISCOVERED, clientId: 'own' };
    const document = 'https://client.example/id.json';
    const works: Answer = () => json({ client_id: 'c' }, 201);
    const closed = { registrationEndpoint: null };
    for (const [answer, options, id] of [
      [works, { account, document }, document],
      [works, { account }, 'c'],
      [fails, { account }, 'own'],
      [works, { account, server: closed }, 'own'],
    ] as const)
      expect(await clientAt(answer, options).find()).toEqual({ id, secret: null, method: 'none' });
    await expect(clientAt(fails).find()).rejects.toMatchObject({ oauthError: 'access_denied' });
    await expect(clientAt(works, { server: closed }).find()).rejects.toMatchObject({
      message: /registers no new clients/,
    });
    // A sign-in that was cancelled while it registered has no client.
    const reason = new RuntimeError('declined');
    const cancelled = clientAt(works, { account, signal: AbortSignal.abort(reason) });
    await expect(cancelled.find()).rejects.toBe(reason);
  });
});
