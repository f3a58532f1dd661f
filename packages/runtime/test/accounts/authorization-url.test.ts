import { readInterop } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { authorizationUrl } from '../../src/accounts/authorization-url.ts';
import { redirectUriOf } from '../../src/accounts/relay.ts';
import type { ChallengeVector, RequestVector } from '../support/relay-requests.ts';
import { namedServer } from '../support/sample-servers.ts';

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
