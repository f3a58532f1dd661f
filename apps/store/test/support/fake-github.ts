import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { serveHere } from '@svc/testkit/http-server';
import { CLIENT } from './open-id.ts';

type User = { id: number; login: string; name: string | null };
type Email = { email: string; primary: boolean; verified: boolean };

/** A server with the API of GitHub that checks the parameters of the token request against those of the authorization request. */
export async function fakeGitHub(user: User, emails: Email[]) {
  let challenge = '';
  const state = { user, emails, status: 200 };
  const tokenFor = (form: URLSearchParams): object => {
    const proof = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isRight = proof === challenge && form.get('client_secret') === CLIENT.clientSecret;
    // GitHub reports a refusal with status 200.
    return isRight ? { access_token: 'gho_x', token_type: 'bearer' } : { error: 'bad_verification_code' };
  };
  const answerOf = (pathname: string, authorization: string | undefined): [object, number] => {
    if (authorization !== 'Bearer gho_x') return [{ message: 'Bad credentials' }, 401];
    return [pathname === '/api/user' ? state.user : state.emails, state.status];
  };
  const url = await serveHere(() => async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://localhost');
    const form = new URLSearchParams(await text(request));
    const [body, status] =
      pathname === '/token' ? [tokenFor(form), 200] : answerOf(pathname, request.headers.authorization);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  return {
    state,
    settings: {
      ...{ id: 'github', type: 'github', label: 'GitHub', ...CLIENT },
      ...{ authorizeUrl: `${url}/authorize`, tokenUrl: `${url}/token`, apiUrl: `${url}/api` },
    },
    /** The path of the callback for the store's redirect. */
    comeBack(location: string): string {
      const { searchParams } = new URL(location);
      challenge = searchParams.get('code_challenge') ?? '';
      const query = new URLSearchParams({ code: 'a code', state: searchParams.get('state') ?? '' });
      return `/sign-in/github/callback?${query}`;
    },
  };
}
