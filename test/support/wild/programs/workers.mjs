// @cloudflare/workers-oauth-provider, with a store of keys in memory, before the MCP SDK 2 as its API.
import { createServer } from 'node:http';
import { registerHooks } from 'node:module';

// The runtime of Cloudflare Workers has this module.
const WORKERS =
  'data:text/javascript,export class WorkerEntrypoint { constructor(ctx, env) { this.ctx = ctx; this.env = env; } }';
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'cloudflare:workers' ? { url: WORKERS, shortCircuit: true } : next(specifier, context),
});
const { OAuthProvider } = await import('@cloudflare/workers-oauth-provider');
const { McpServer, WebStandardStreamableHTTPServerTransport } = await import('@modelcontextprotocol/server');

/** Workers KV, in memory. */
function createKeys() {
  const stored = new Map();
  return {
    async get(key, options) {
      const found = stored.get(key);
      if (found === undefined) return null;
      return (options?.type ?? options) === 'json' ? JSON.parse(found) : found;
    },
    async put(key, value) {
      stored.set(key, value);
    },
    async delete(key) {
      stored.delete(key);
    },
    async list({ prefix = '' } = {}) {
      const keys = [...stored.keys()].filter((name) => name.startsWith(prefix)).map((name) => ({ name }));
      return { keys, list_complete: true };
    },
  };
}

const apiHandler = {
  async fetch(request) {
    const server = new McpServer({ name: 'workers', version: '1.0.0' });
    server.registerTool('say', { description: 'Says it.' }, async () => ({
      content: [{ type: 'text', text: 'did say' }],
    }));
    const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    await server.connect(transport);
    return transport.handleRequest(request);
  },
};

/** The page of the user, who agrees to everything. */
const defaultHandler = {
  async fetch(request, env) {
    if (new URL(request.url).pathname !== '/authorize') return new Response('Not found', { status: 404 });
    const asked = await env.OAUTH_PROVIDER.parseAuthRequest(request);
    const { redirectTo } = await env.OAUTH_PROVIDER.completeAuthorization({
      request: asked,
      userId: 'ada',
      scope: asked.scope,
      metadata: {},
      props: {},
    });
    return Response.redirect(redirectTo, 302);
  },
};

const server = createServer();
await new Promise((resolve) => server.listen(Number(process.env.PORT ?? 0), 'localhost', resolve));
const origin = `http://localhost:${server.address().port}`;
const provider = new OAuthProvider({
  apiRoute: '/mcp',
  apiHandler,
  defaultHandler,
  authorizeEndpoint: '/authorize',
  tokenEndpoint: '/token',
  clientRegistrationEndpoint: '/register',
  scopesSupported: ['notes', 'offline_access'],
  resourceMetadata: { resource: `${origin}/mcp` },
});
const env = { OAUTH_KV: createKeys() };

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

server.on('request', async (request, response) => {
  const { method, headers } = request;
  const body = method === 'POST' ? { body: await bodyOf(request) } : {};
  const waiting = {
    waitUntil: (work) => void Promise.resolve(work).catch(() => undefined),
    passThroughOnException() {},
  };
  const given = await provider.fetch(
    new Request(`${origin}${request.url}`, { method, headers, ...body }),
    env,
    waiting,
  );
  response.writeHead(given.status, Object.fromEntries(given.headers));
  if (given.body) for await (const chunk of given.body) response.write(chunk);
  response.end();
});
process.stdout.write(`${JSON.stringify({ url: `${origin}/mcp` })}\n`);
