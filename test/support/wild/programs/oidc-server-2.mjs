// oidc-provider as the authorization server, and the MCP SDK 2 on another port, which speaks the newest revision and earlier ones.
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { Provider } from 'oidc-provider';

const HOUR = 3600;

async function listen(port) {
  const server = createServer();
  await new Promise((resolve) => server.listen(port, 'localhost', resolve));
  return { server, origin: `http://localhost:${server.address().port}` };
}

const own = await listen(Number(process.env.PORT ?? 0));
const sign = await listen(Number(process.env.PORT_2 ?? 0));
const resource = `${own.origin}/mcp`;
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
for (const method of ['info', 'warn']) console[method] = () => {};
const provider = new Provider(sign.origin, {
  findAccount: (_context, accountId) => ({ accountId, claims: async () => ({ sub: accountId }) }),
  interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
  features: {
    devInteractions: { enabled: false },
    registration: { enabled: true },
    revocation: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: () => ({ scope: 'notes', accessTokenFormat: 'opaque' }),
      useGrantedResource: () => true,
    },
  },
  scopes: ['openid', 'offline_access', 'notes'],
  clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
  pkce: { required: () => true },
  rotateRefreshToken: true,
  issueRefreshToken: async () => true,
  ttl: { AccessToken: HOUR, RefreshToken: 24 * HOUR, Grant: 24 * HOUR, Session: 24 * HOUR, Interaction: 600 },
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' }] },
  cookies: { keys: ['a key of a test'] },
});

/** The user at each page of the provider: signs in, and grants the requested scopes. */
async function interact(request, response) {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    return provider.interactionFinished(request, response, { login: { accountId: 'ada' } });
  }
  const found = grantId && (await provider.Grant.find(grantId));
  const grant =
    found ?? new provider.Grant({ accountId: session.accountId, clientId: String(params.client_id) });
  const scope = String(params.scope ?? '');
  grant.addOIDCScope(scope);
  if (params.resource !== undefined) grant.addResourceScope(String(params.resource), scope);
  const consent = { grantId: await grant.save() };
  return provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
}

const callback = provider.callback();
sign.server.on('request', (request, response) => {
  if (!request.url.startsWith('/interaction/')) return callback(request, response);
  interact(request, response).catch((error) => response.end(error.stack));
});

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'server-2', version: '1.0.0' });
  server.registerTool('say', { description: 'Says it.' }, async () => ({
    content: [{ type: 'text', text: 'did say' }],
  }));
  return server;
});
const serveMcp = toNodeHandler(handler);

own.server.on('request', async (request, response) => {
  if (request.url === '/.well-known/oauth-protected-resource/mcp') {
    const metadata = {
      resource,
      authorization_servers: [sign.origin],
      scopes_supported: ['notes', 'offline_access'],
    };
    return response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(metadata));
  }
  const token = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
  if (token !== '' && (await provider.AccessToken.find(token))) return serveMcp(request, response);
  const challenge = `Bearer resource_metadata="${own.origin}/.well-known/oauth-protected-resource/mcp"`;
  response.writeHead(401, { 'WWW-Authenticate': challenge }).end();
});
const portOf = ({ server }) => server.address().port;
process.stdout.write(`${JSON.stringify({ url: resource, port: portOf(own), port2: portOf(sign) })}\n`);
