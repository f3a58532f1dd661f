// The MCP SDK 1: its authorization router, and its server over Streamable HTTP without sessions.
import { randomUUID } from 'node:crypto';
import { InvalidGrantError, InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import { mcpAuthRouter } from '@modelcontextprotocol/sdk/server/auth/router.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import express from 'express';

const HOUR = 3600;
const app = express();
const listening = app.listen(Number(process.env.PORT ?? 0), 'localhost', () => {
  const origin = `http://localhost:${listening.address().port}`;
  serve(new URL(origin));
  process.stdout.write(`${JSON.stringify({ url: `${origin}/mcp` })}\n`);
});

/** An authorization server in memory, whose user agrees to everything. */
function provider() {
  const [clients, codes, access, refresh] = [new Map(), new Map(), new Map(), new Map()];
  const issue = (clientId, scopes) => {
    const tokens = {
      access_token: randomUUID(),
      refresh_token: randomUUID(),
      token_type: 'bearer',
      expires_in: HOUR,
    };
    access.set(tokens.access_token, { clientId, scopes });
    refresh.set(tokens.refresh_token, { clientId, scopes, access: tokens.access_token });
    return tokens;
  };
  return {
    clientsStore: {
      getClient: (id) => clients.get(id),
      registerClient(client) {
        clients.set(client.client_id, client);
        return client;
      },
    },
    async authorize(client, { state, codeChallenge, redirectUri, scopes = [] }, response) {
      const code = randomUUID();
      codes.set(code, { clientId: client.client_id, codeChallenge, scopes });
      const back = new URL(redirectUri);
      back.searchParams.set('code', code);
      if (state !== undefined) back.searchParams.set('state', state);
      response.redirect(back.href);
    },
    challengeForAuthorizationCode: async (_client, code) => codes.get(code)?.codeChallenge,
    async exchangeAuthorizationCode(client, code) {
      const found = codes.get(code);
      if (!found || !codes.delete(code)) throw new InvalidGrantError('The code is unknown.');
      return issue(client.client_id, found.scopes);
    },
    async exchangeRefreshToken(client, token) {
      const found = refresh.get(token);
      if (!found || !refresh.delete(token)) throw new InvalidGrantError('The refresh token is unknown.');
      return issue(client.client_id, found.scopes);
    },
    async verifyAccessToken(token) {
      const found = access.get(token);
      if (!found) throw new InvalidTokenError('The token is unknown.');
      return { token, ...found, expiresAt: Math.floor(Date.now() / 1000) + HOUR };
    },
    async revokeToken(_client, { token }) {
      access.delete(refresh.get(token)?.access ?? token);
      refresh.delete(token);
    },
  };
}

function serve(origin) {
  const own = provider();
  const resource = new URL('/mcp', origin);
  app.use(
    mcpAuthRouter({
      provider: own,
      issuerUrl: origin,
      resourceServerUrl: resource,
      scopesSupported: ['notes'],
    }),
  );
  const resourceMetadataUrl = new URL('/.well-known/oauth-protected-resource/mcp', origin).href;
  app.all(
    '/mcp',
    requireBearerAuth({ verifier: own, resourceMetadataUrl }),
    express.json(),
    async (request, response) => {
      const server = new McpServer({ name: 'sdk-v1', version: '1.0.0' });
      server.registerTool('say', { description: 'Says it.' }, async () => ({
        content: [{ type: 'text', text: 'did say' }],
      }));
      const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
      await server.connect(transport);
      await transport.handleRequest(request, response, request.body);
    },
  );
}
