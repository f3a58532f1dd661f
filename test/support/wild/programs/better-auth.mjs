// better-auth with its OAuth provider, whose user agrees to everything, before the MCP SDK 2 on another port.
import { createServer } from 'node:http';
import { oauthProvider, oauthProviderAuthServerMetadata } from '@better-auth/oauth-provider';
import { McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { betterAuth } from 'better-auth';
import { memoryAdapter } from 'better-auth/adapters/memory';

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Listens, and answers web requests with `answer` once it is set. */
async function listen(port) {
  const server = createServer();
  await new Promise((resolve) => server.listen(port, 'localhost', resolve));
  const own = {
    port: server.address().port,
    origin: `http://localhost:${server.address().port}`,
    answer: null,
  };
  server.on('request', async (request, response) => {
    const { method, headers } = request;
    const body = method === 'POST' ? { body: await bodyOf(request) } : {};
    const given = await own.answer(new Request(own.origin + request.url, { method, headers, ...body }));
    const named = Object.fromEntries(given.headers);
    response.writeHead(given.status, named).end(Buffer.from(await given.arrayBuffer()));
  });
  return own;
}

const sign = await listen(Number(process.env.PORT_2 ?? 0));
const api = await listen(Number(process.env.PORT ?? 0));
const resource = `${api.origin}/mcp`;
const SCOPES = ['openid', 'offline_access', 'notes'];
const TABLES = [
  ...[
    'user',
    'session',
    'account',
    'verification',
    'jwks',
    'oauthClient',
    'oauthClientResource',
    'oauthClientAssertion',
  ],
  ...['oauthResource', 'oauthRefreshToken', 'oauthAccessToken', 'oauthConsent'],
];
const database = Object.fromEntries(TABLES.map((name) => [name, []]));
const auth = betterAuth({
  baseURL: sign.origin,
  secret: 'a secret of a test, thirty-two characters long',
  database: memoryAdapter(database),
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  logger: { level: 'error', log: (...words) => process.stderr.write(`${words.join(' ')}\n`) },
  plugins: [
    oauthProvider({
      disableJwtPlugin: true,
      loginPage: '/login',
      consentPage: '/consent',
      scopes: SCOPES,
      allowDynamicClientRegistration: true,
      allowUnauthenticatedClientRegistration: true,
      resources: [{ identifier: resource, name: 'notes', allowedScopes: SCOPES }],
      clientRegistrationAllowedResources: [resource],
      clientRegistrationDefaultResources: [resource],
      silenceWarnings: { oauthAuthServerConfig: true, openidConfig: true },
    }),
  ],
});

let session = '';
/** The cookie of the user, who is signed in. */
async function cookieOf() {
  if (session) return session;
  const { headers } = await auth.api.signUpEmail({
    body: { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' },
    returnHeaders: true,
  });
  session = headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
  return session;
}

const metadata = oauthProviderAuthServerMetadata(auth);

/** The consent of the user. */
async function consent(url) {
  const answer = await auth.handler(
    new Request(`${sign.origin}/api/auth/oauth2/consent`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: await cookieOf(), origin: sign.origin },
      body: JSON.stringify({ accept: true, oauth_query: url.search.slice(1) }),
    }),
  );
  const said = await answer.json();
  if (!answer.ok) throw new Error(JSON.stringify(said));
  return new Response(null, { status: 302, headers: { location: said.url } });
}

sign.answer = async (request) => {
  const url = new URL(request.url);

  if (url.pathname.startsWith('/.well-known/oauth-authorization-server')) return metadata(request);
  if (url.pathname === '/consent') return consent(url);
  const headers = new Headers(request.headers);
  if (url.pathname === '/api/auth/oauth2/authorize') {
    headers.set('cookie', await cookieOf());
    // A browser sends it; others get the address as JSON.
    headers.set('sec-fetch-mode', 'navigate');
  }
  const body = request.method === 'POST' ? { body: await request.text() } : {};
  return auth.handler(new Request(request.url, { method: request.method, headers, ...body }));
};

const challenge = `Bearer resource_metadata="${api.origin}/.well-known/oauth-protected-resource/mcp"`;

/** Whether the authorization server knows a token: only a client may ask it for the state of one (RFC 7662). */
async function isActive(token) {
  const answer = await auth.handler(
    new Request(`${sign.origin}/api/auth/oauth2/userinfo`, { headers: { authorization: `Bearer ${token}` } }),
  );
  return answer.ok;
}

api.answer = async (request) => {
  const { pathname } = new URL(request.url);
  if (pathname === '/.well-known/oauth-protected-resource/mcp')
    return Response.json({
      resource,
      authorization_servers: [`${sign.origin}/api/auth`],
      scopes_supported: SCOPES,
    });
  const token = request.headers.get('authorization')?.replace(/^Bearer /, '') ?? '';
  if (!(await isActive(token)))
    return new Response(null, { status: 401, headers: { 'WWW-Authenticate': challenge } });
  const server = new McpServer({ name: 'better-auth', version: '1.0.0' });
  server.registerTool('say', { description: 'Says it.' }, async () => ({
    content: [{ type: 'text', text: 'did say' }],
  }));
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  await server.connect(transport);
  return transport.handleRequest(request);
};
process.stdout.write(`${JSON.stringify({ url: resource, port: api.port, port2: sign.port })}\n`);
