import type { RequestListener } from 'node:http';
import { readInterop } from '@svc/testkit';
import { serveHere } from '@svc/testkit/http-server';
import { describe, expect, it } from 'vitest';
import { validateAuthorizationResponse } from '../../src/accounts/authorization-response.ts';
import { awaitAnswer } from '../../src/accounts/relay.ts';
import { requestsOf } from '../../src/accounts/requests.ts';
import { fakeWeb, json } from '../support/fake-web.ts';
import { fakeSystem } from '../support/open-accounts.ts';
import type { AnswerVector } from '../support/relay-answers.ts';
import { namedServer } from '../support/sample-servers.ts';
import { AS, DECLARED, DISCOVERED, failing, METADATA } from '../support/sign-in.ts';

const vectors = readInterop('relay', 'answers.json') as AnswerVector[];
const LATER = JSON.stringify({ code: 'later' });
const sent = { clientId: 'client-1', state: 'Jx0o5r9d-m3Qb7_tKzP2yA', verifier: 'v'.repeat(43) };

/** A sign-in whose relay answers with a vector, and with a code when it is asked again. */
async function signIn({ server, status, body }: AnswerVector) {
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
  const came = await awaitAnswer({ fetchStore: fetch, system }, store, sent.state, forever);
  // Nobody but the server itself could say that it has another name, and nobody is there.
  const requests = requestsOf({ guard: fakeWeb({}).guard, system }, false);
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

describe('an answer to a sign-in', () => {
  it.each([
    ['of another server', DISCOVERED, {}, 'https://other.example'],
    ['of another server that looks the same', DISCOVERED, {}, `${AS}/`],
    [
      'of nobody, where the server always says who it is',
      DISCOVERED,
      { authorization_response_iss_parameter_supported: true },
      undefined,
    ],
    ['of another server than the manifest names', DECLARED, {}, 'https://other.example'],
  ])('is refused when it is one %s', async (_what, account, change, iss) => {
    const pages = {
      [`${AS}/.well-known/oauth-authorization-server`]: () => json({ ...METADATA, ...change }),
      [`${AS}/token`]: () => {
        throw new Error('the code was sent away');
      },
    };
    const said = await failing(account, pages, { code: 'c', ...(iss !== undefined && { iss }) });
    expect(said).toContain('from another server');
  });

  it('that says no is repeated, cleaned', async () => {
    const said = await failing(DECLARED, {}, { error: 'access_denied', error_description: 'not today' });
    expect(said).toBe('The authorization server refuses (access_denied): not today');
  });
});
