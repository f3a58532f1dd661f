import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import { serveHere } from '@svc/testkit/http-server';
import { rsaKey } from '@svc/testkit/rsa-key';
import { CLIENT } from './open-id.ts';

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

function jwtOf(claims: object, key: KeyObject): string {
  const signed = `${encode({ alg: 'RS256', kid: 'one' })}.${encode(claims)}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
}

/** Falsified parts of a provider's responses. */
export type Lies = {
  claims?: Record<string, unknown>;
  /** Signs with a key that is not in its JWKS. */
  foreignKey?: true;
  /** Responds to every request with this status. */
  status?: number;
};

/** An OpenID provider with arbitrary ID tokens. */
export async function falseProvider(id = 'false') {
  const privateKey = rsaKey();
  const publicKey = createPublicKey(privateKey);
  const foreign = rsaKey('foreign');
  let lies: Lies = {};
  let nonce = '';
  let asked = 0;

  const answers = (url: string): Record<string, () => object> => ({
    '/.well-known/openid-configuration': () => ({
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      authorization_response_iss_parameter_supported: true,
    }),
    '/keys': () => ({
      keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }],
    }),
    '/token': () => {
      const now = Math.floor(Date.now() / 1000);
      const claims = {
        iss: url,
        aud: CLIENT.clientId,
        sub: 'anna',
        nonce,
        iat: now,
        exp: now + 60,
        ...lies.claims,
      };
      const idToken = jwtOf(claims, lies.foreignKey ? foreign : privateKey);
      return { access_token: 'an access token', token_type: 'Bearer', expires_in: 60, id_token: idToken };
    },
  });

  const issuer = await serveHere((url) => (request, response) => {
    asked += 1;
    const body = answers(url)[new URL(request.url ?? '', url).pathname]?.() ?? {};
    response.writeHead(lies.status ?? 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });

  return {
    issuer,
    settings: { id, label: 'False', issuer, ...CLIENT },
    asked: () => asked,
    /** A logout token (OpenID Connect Back-Channel Logout 1.0 section 2.4), with other claims. */
    logoutToken(claims: Record<string, unknown> = {}, foreignKey = false): string {
      const now = Math.floor(Date.now() / 1000);
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
      const all = {
        iss: issuer,
        aud: CLIENT.clientId,
        sub: 'anna',
        iat: now,
        jti: `jti-${now}`,
        events,
        ...claims,
      };
      return jwtOf(all, foreignKey ? foreign : privateKey);
    },
    lie(more: Lies) {
      lies = more;
    },
    /** The path of the callback for the store's redirect. */
    comeBack(location: string): string {
      const { searchParams } = new URL(location);
      nonce = searchParams.get('nonce') ?? '';
      const query = { code: 'a code', state: searchParams.get('state') ?? '', iss: issuer };
      return `/sign-in/${id}/callback?${new URLSearchParams(query)}`;
    },
  };
}
