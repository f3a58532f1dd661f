import { readInterop } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { checkAnswer } from '../../src/accounts/check-answer.ts';
import { requestsOf } from '../../src/accounts/requests.ts';
import { exchangeCode } from '../../src/accounts/token-endpoint.ts';
import { fakeWeb, json } from '../support/fake-web.ts';
import { testAmbient } from '../support/open-accounts.ts';
import type { RequestVector } from '../support/relay-requests.ts';
import { namedServer } from '../support/sample-servers.ts';

const vectors = readInterop('relay', 'requests.json') as RequestVector[];
const TOKENS = { access_token: 'at-1', token_type: 'Bearer', expires_in: 3600 };

describe('the interop vectors', () => {
  it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', async (_name, vector) => {
    const { clientId, code, form, redirectUri, resource, state, verifier } = vector;
    const server = namedServer({});
    const web = fakeWeb({ [server.tokenEndpoint]: () => json(TOKENS) });
    const requests = requestsOf({ guard: web.guard, ambient: testAmbient() }, false);
    const answer = await checkAnswer(requests, server, { code }, { clientId, state, verifier });
    const client = { id: clientId, secret: null, method: 'none' } as const;
    const source = { server, client, resource };
    expect(await exchangeCode(source, requests, { answer, redirectUri, verifier })).toMatchObject({
      accessToken: 'at-1',
    });
    expect(Object.fromEntries(new URLSearchParams(web.bodies[0]))).toEqual(form);
    expect(web.asked.map(({ method, url }) => [method, url])).toEqual([['POST', server.tokenEndpoint]]);
  });
});
