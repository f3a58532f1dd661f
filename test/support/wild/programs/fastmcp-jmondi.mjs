// FastMCP over Streamable HTTP with sessions, and @jmondi/oauth2-server on another port as its authorization server.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { AuthorizationServer, OAuthException } from '@jmondi/oauth2-server';
import { requestFromVanilla, responseToVanilla } from '@jmondi/oauth2-server/vanilla';
import { FastMCP } from 'fastmcp';

const HOUR = 3600;
const clients = new Map();
const codes = new Map();
const tokens = new Map();
const later = (ms) => new Date(Date.now() + ms);

const clientRepository = {
  getByIdentifier: async (id) => clients.get(id),
  isClientValid: async () => true,
};
const tokenRepository = {
  issueToken: async (client, scopes, user) => ({
    accessToken: randomUUID(),
    accessTokenExpiresAt: later(HOUR * 1000),
    refreshToken: null,
    refreshTokenExpiresAt: null,
    client,
    scopes,
    user: user ?? null,
  }),
  async issueRefreshToken(token) {
    token.refreshToken = randomUUID();
    token.refreshTokenExpiresAt = later(24 * HOUR * 1000);
    return token;
  },
  async persist(token) {
    tokens.set(token.accessToken, token);
  },
  async revoke(token) {
    tokens.delete(token.accessToken);
  },
  isRefreshTokenRevoked: async (token) => !tokens.has(token.accessToken),
  async getByRefreshToken(refreshToken) {
    const found = [...tokens.values()].find((token) => token.refreshToken === refreshToken);
    if (!found) throw OAuthException.invalidParameter('refresh_token');
    return found;
  },
  getByAccessToken: async (accessToken) => tokens.get(accessToken),
};
const scopeRepository = {
  getAllByIdentifiers: async (names) => names.map((name) => ({ name })),
  finalize: async (scopes) => scopes,
};
const codeRepository = {
  getByIdentifier: async (code) => codes.get(code),
  issueAuthCode: (client, user, scopes) => ({
    code: randomUUID(),
    expiresAt: later(600_000),
    redirectUri: null,
    codeChallenge: null,
    codeChallengeMethod: null,
    client,
    user,
    scopes,
  }),
  async persist(code) {
    codes.set(code.code, code);
  },
  isRevoked: async (code) => !codes.has(code),
  async revoke(code) {
    codes.delete(code);
  },
};
const userRepository = { getUserByCredentials: async (id) => ({ id }) };

const authorization = new AuthorizationServer(
  clientRepository,
  tokenRepository,
  scopeRepository,
  'a secret of a test',
  {},
);
authorization.enableGrantTypes(
  { grant: 'authorization_code', userRepository, authCodeRepository: codeRepository },
  'refresh_token',
);

async function register(request) {
  const given = await request.json();
  const client = {
    id: randomUUID(),
    name: given.client_name ?? 'client',
    secret: null,
    redirectUris: given.redirect_uris,
    allowedGrants: ['authorization_code', 'refresh_token'],
    scopes: [],
  };
  clients.set(client.id, client);
  return Response.json(
    { ...given, client_id: client.id, token_endpoint_auth_method: 'none' },
    { status: 201 },
  );
}

async function authorize(request) {
  const asked = await authorization.validateAuthorizationRequest(await requestFromVanilla(request));
  asked.user = { id: 'ada' };
  asked.isAuthorizationApproved = true;
  return responseToVanilla(await authorization.completeAuthorizationRequest(asked));
}

const answers = {
  '/register': register,
  '/authorize': authorize,
  '/token': async (request) =>
    responseToVanilla(await authorization.respondToAccessTokenRequest(await requestFromVanilla(request))),
  '/revoke': async (request) =>
    responseToVanilla(await authorization.revoke(await requestFromVanilla(request))),
};

async function answer(request, origin) {
  const { pathname } = new URL(request.url);
  if (pathname === '/.well-known/oauth-authorization-server') {
    return Response.json({
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      revocation_endpoint: `${origin}/revoke`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
    });
  }
  const handle = answers[pathname];
  if (!handle) return new Response('Not found', { status: 404 });
  try {
    return await handle(request);
  } catch (error) {
    if (!(error instanceof OAuthException)) throw error;
    return Response.json(
      { error: error.errorType, error_description: error.message },
      { status: error.status },
    );
  }
}

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Listens, and answers web requests. */
async function listen(port, answering) {
  const server = createServer();
  await new Promise((resolve) => server.listen(port, 'localhost', resolve));
  const origin = `http://localhost:${server.address().port}`;
  server.on('request', async (request, response) => {
    const { method, headers } = request;
    const body = method === 'POST' ? { body: await bodyOf(request) } : {};
    const given = await answering(
      new Request(`${origin}${request.url}`, { method, headers, ...body }),
      origin,
    );
    response
      .writeHead(given.status, Object.fromEntries(given.headers))
      .end(Buffer.from(await given.arrayBuffer()));
  });
  return origin;
}

/** A free port, for a server that does not say which one it got. */
async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The id of an access token, which this library makes a JWT (RFC 7519 section 4.1.7). */
function idOf(token) {
  try {
    return JSON.parse(Buffer.from(token.split('.')[1], 'base64url')).jti;
  } catch {
    return null;
  }
}

const issuer = await listen(Number(process.env.PORT_2 ?? 0), answer);
const port = Number(process.env.PORT ?? 0) || (await freePort());
const mcp = new FastMCP({
  name: 'fastmcp',
  version: '1.0.0',
  authenticate: async (request) => {
    const token = request.headers.authorization?.replace(/^Bearer /, '');
    if (token && tokens.has(idOf(token))) return { id: 'ada' };
    throw new Response(null, {
      status: 401,
      headers: {
        'WWW-Authenticate': `Bearer resource_metadata="http://localhost:${port}/.well-known/oauth-protected-resource"`,
      },
    });
  },
  oauth: {
    enabled: true,
    protectedResource: { resource: `http://localhost:${port}/mcp`, authorizationServers: [issuer] },
  },
});
mcp.addTool({ name: 'say', description: 'Says it.', execute: async () => 'did say' });
await mcp.start({ transportType: 'httpStream', httpStream: { port, host: 'localhost' } });
process.stdout.write(
  `${JSON.stringify({ url: `http://localhost:${port}/mcp`, port, port2: Number(new URL(issuer).port) })}\n`,
);
