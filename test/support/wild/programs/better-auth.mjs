// better-auth with its plugin for MCP as the authorization server, before the MCP SDK 2 as its API.
import { createServer } from 'node:http';
import { mcp, requireMcpAuth } from '@better-auth/mcp';
import { McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { betterAuth } from 'better-auth';
import { memoryAdapter } from 'better-auth/adapters/memory';
import { jwt } from 'better-auth/plugins';

const server = createServer();
await new Promise((resolve) => server.listen(Number(process.env.PORT ?? 0), 'localhost', resolve));
const origin = `http://localhost:${server.address().port}`;
const resource = `${origin}/mcp`;

const TABLES = [
  ...['user', 'session', 'account', 'verification', 'jwks', 'rateLimit'],
  ...[
    'oauthClient',
    'oauthAccessToken',
    'oauthRefreshToken',
    'oauthConsent',
    'oauthResource',
    'oauthClientResource',
  ],
];
const auth = betterAuth({
  baseURL: origin,
  secret: 'a secret of a test that is long enough for this',
  database: memoryAdapter(Object.fromEntries(TABLES.map((name) => [name, []]))),
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  logger: { disabled: true },
  plugins: [
    jwt(),
    mcp({
      loginPage: '/login',
      consentPage: '/consent',
      resource,
      allowDynamicClientRegistration: true,
      allowUnauthenticatedClientRegistration: true,
      refreshTokenReuseInterval: 0,
    }),
  ],
});

const json = { 'content-type': 'application/json', origin };
const post = (path, body, more = {}) =>
  auth.handler(
    new Request(`${origin}/api/auth${path}`, {
      method: 'POST',
      headers: { ...json, ...more },
      body: JSON.stringify(body),
    }),
  );

// The user, who is signed in and agrees to everything.
const ada = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery staple' };
const cookie = (await post('/sign-up/email', ada)).headers
  .getSetCookie()
  .map((text) => text.split(';')[0])
  .join('; ');

async function consent({ search }) {
  const body = { accept: true, oauth_query: search.slice(1) };
  const agreed = await (await post('/oauth2/consent', body, { cookie })).json();
  return Response.redirect(agreed.url ?? agreed.redirect_uri, 302);
}

const api = requireMcpAuth(
  auth,
  async (request) => {
    const served = new McpServer({ name: 'better-auth', version: '1.0.0' });
    served.registerTool('say', { description: 'Says it.' }, async () => ({
      content: [{ type: 'text', text: 'did say' }],
    }));
    const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    await served.connect(transport);
    return transport.handleRequest(request);
  },
  { resource },
);

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

server.on('request', async (request, response) => {
  const { method } = request;
  const url = new URL(request.url, origin);
  const headers = new Headers(request.headers);
  if (url.pathname.endsWith('/oauth2/authorize')) headers.set('cookie', cookie);
  const asked = new Request(url, {
    method,
    headers,
    ...(method === 'POST' && { body: await bodyOf(request) }),
  });
  const answer =
    url.pathname === '/mcp'
      ? await api(asked)
      : url.pathname === '/consent'
        ? await consent(url)
        : await auth.handler(asked);
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body) for await (const chunk of answer.body) response.write(chunk);
  response.end();
});
process.stdout.write(`${JSON.stringify({ url: resource })}\n`);
