import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { serveHere } from '@svc/testkit/http-server';
import type { Serve } from './internet.ts';

/** A scripted answer of the token endpoint to a refresh request. */
export type RefreshAnswer =
  | { kind: 'tokens'; expiresIn?: unknown; rotate?: boolean }
  | { kind: 'raw'; status: number; body: string; type?: string }
  | { kind: 'closed' };

type Sent = { status?: number; type?: string; body: string; headers?: Record<string, string> };

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
};

/** An answer; null closes the connection without one. */
type Answered = Sent | null;

const jsonOf = (body: unknown, status = 200): Sent => ({ status, body: JSON.stringify(body) });

function send(response: ServerResponse, answer: Answered): void {
  if (!answer) {
    response.destroy();
    return;
  }
  const { status = 200, type = 'application/json', body, headers } = answer;
  response.writeHead(status, { 'content-type': type, ...headers }).end(body);
}

/**
 * An authorization server by RFC 6749, 7591, 7009 and 8414, with a token endpoint whose answers to refresh requests a test scripts. It
 * stores the valid tokens that it has issued.
 */
export async function wildOAuth(serve: Serve = serveHere) {
  const access = new Set<string>();
  const refresh = new Set<string>();
  const clients = new Set<string>(['public-client']);
  const script: RefreshAnswer[] = [];
  const requests: { path: string; form: Record<string, string> }[] = [];
  const state = {
    takesDocuments: false,
    /** It declares support of client ID metadata documents, but refuses the document of the client. */
    refusesDocuments: false,
    clientMethods: null as string[] | null,
    revocation: 200 as number | 'closed',
    /** Awaited for each request before the server handles it, and again before it answers. */
    gate: async (_path: string, _phase: 'asked' | 'done'): Promise<void> => {},
  };

  function issue(expiresIn: unknown = 3600) {
    const [access_token, refresh_token] = [`at-${randomUUID()}`, `rt-${randomUUID()}`];
    access.add(access_token);
    refresh.add(refresh_token);
    return { access_token, refresh_token, token_type: 'Bearer', expires_in: expiresIn };
  }

  function answerRefresh({ refresh_token = '', client_id = '' }: Record<string, string>): Answered {
    const next = script.shift() ?? { kind: 'tokens' as const };
    if (next.kind === 'closed') return null;
    if (next.kind === 'raw') return next;
    if (!clients.has(client_id)) return jsonOf({ error: 'invalid_client' }, 401);
    if (!refresh.has(refresh_token)) return jsonOf({ error: 'invalid_grant' }, 400);
    if (next.rotate !== false) refresh.delete(refresh_token);
    return jsonOf(issue(next.expiresIn));
  }

  /** A client that has registered, or one with a client ID metadata document. */
  const isKnown = (id = ''): boolean =>
    clients.has(id) || (id.startsWith('https:') && !state.refusesDocuments);

  function answerToken(form: Record<string, string>): Answered {
    if (form.grant_type === 'refresh_token') return answerRefresh(form);
    return isKnown(form.client_id) ? jsonOf(issue()) : jsonOf({ error: 'invalid_client' }, 401);
  }

  function answerRevoke({ token = '' }: Record<string, string>): Answered {
    if (state.revocation === 'closed') return null;
    if (state.revocation !== 200) return { status: state.revocation, body: '' };
    access.delete(token);
    // RFC 7009 section 2.1: with a refresh token its access tokens go too.
    if (refresh.delete(token)) access.clear();
    return { body: '' };
  }

  function answerAuthorize(query: URLSearchParams): Answered {
    if (!isKnown(query.get('client_id') ?? '')) return jsonOf({ error: 'invalid_client' }, 400);
    const back = new URL(query.get('redirect_uri') ?? '');
    back.searchParams.set('code', randomUUID());
    back.searchParams.set('state', query.get('state') ?? '');
    return { status: 302, body: '', headers: { location: back.href } };
  }

  function answerRegister(): Answered {
    const client_id = `client-${randomUUID()}`;
    clients.add(client_id);
    return jsonOf({ client_id }, 201);
  }

  const metadata = (own: string): Answered =>
    jsonOf({
      issuer: own,
      authorization_endpoint: `${own}/authorize`,
      token_endpoint: `${own}/token`,
      registration_endpoint: `${own}/register`,
      revocation_endpoint: `${own}/revoke`,
      code_challenge_methods_supported: ['S256'],
      client_id_metadata_document_supported: state.takesDocuments,
      token_endpoint_auth_methods_supported: state.clientMethods,
    });

  const url = await serve((own) => async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', own);
    const text = await bodyOf(request);
    const isJson = request.headers['content-type']?.includes('json') ?? false;
    const form = isJson ? {} : Object.fromEntries(new URLSearchParams(text));
    requests.push({ path: pathname, form });
    const answers: Record<string, () => Answered> = {
      '/.well-known/oauth-authorization-server': () => metadata(own),
      '/register': answerRegister,
      '/authorize': () => answerAuthorize(searchParams),
      '/token': () => answerToken(form),
      '/revoke': () => answerRevoke(form),
    };
    await state.gate(pathname, 'asked');
    const answer = (answers[pathname] ?? (() => jsonOf({}, 404)))();
    await state.gate(pathname, 'done');
    send(response, answer);
  });
  return { url, access, refresh, clients, script, requests, state };
}

export type WildOAuth = Awaited<ReturnType<typeof wildOAuth>>;

/** How an MCP server answers. */
export type McpKind = { stream: boolean; sessions: boolean };

/**
 * An MCP server by the specification (Streamable HTTP, 2025-11-25) that accepts only the tokens of one authorization server:
 * it answers in JSON or as a stream, with sessions or without. The tool `held` answers when the test releases it.
 */
export async function wildMcp(oauth: WildOAuth, { stream, sessions }: McpKind, serve: Serve = serveHere) {
  const known = new Set<string>();
  const held: (() => void)[] = [];
  const calls: string[] = [];
  const state = {
    challengeScope: null as string | null,
    /** The authorization server and the scopes in its metadata; null for no scopes. */
    issuer: oauth.url,
    scopes: null as string[] | null,
    /** It requires a token only to call tools, and only its challenge says where its metadata is. */
    challengesCalls: false,
  };

  const framed = (message: object): Sent =>
    stream
      ? { type: 'text/event-stream', body: `event: message\ndata: ${JSON.stringify(message)}\n\n` }
      : jsonOf(message);

  function initialize(): { result: object; headers: Record<string, string> } {
    const session = randomUUID();
    known.add(session);
    const serverInfo = { name: 'wild', version: '1' };
    const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo };
    return { result, headers: sessions ? { 'mcp-session-id': session } : {} };
  }

  function callTool(name: string): Promise<object> {
    calls.push(name);
    const result = { content: [{ type: 'text', text: `did ${name}` }] };
    if (name !== 'held') return Promise.resolve(result);
    return new Promise((resolve) => held.push(() => resolve(result)));
  }

  async function respond({ id, method, params }: Message): Promise<Sent> {
    if (id === undefined) return { status: 202, body: '' };
    if (method === 'initialize') {
      const { result, headers } = initialize();
      return { ...framed({ jsonrpc: '2.0', id, result }), headers };
    }
    if (method === 'tools/call') {
      return framed({ jsonrpc: '2.0', id, result: await callTool(params?.name ?? '') });
    }
    if (method === 'tools/list')
      return framed({
        jsonrpc: '2.0',
        id,
        result: { tools: [{ name: 'say', inputSchema: { type: 'object' } }] },
      });
    return framed({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
  }

  const placeOfMetadata = (): string => (state.challengesCalls ? '/meta' : METADATA);

  function challenge(own: string): Sent {
    const scope = state.challengeScope === null ? '' : `, scope="${state.challengeScope}"`;
    const words = `Bearer resource_metadata="${own}${placeOfMetadata()}"${scope}`;
    return { status: 401, body: '{}', headers: { 'www-authenticate': words } };
  }

  /** Whether a request has a session that the server does not know any more. */
  const isLost = (session: string | undefined, { method }: Message): boolean =>
    sessions && (method === 'tools/call' || session !== undefined) && !known.has(session ?? '');

  async function answerTo(own: string, { method, headers }: IncomingMessage, text: string): Promise<Sent> {
    const token = headers.authorization?.replace(/^Bearer /, '') ?? '';
    const isOpen = state.challengesCalls && !text.includes('"tools/call"');
    if (!oauth.access.has(token) && !isOpen) return challenge(own);
    if (method !== 'POST') return { status: method === 'DELETE' ? 200 : 405, body: '' };
    const message = JSON.parse(text) as Message;
    return isLost(headers['mcp-session-id']?.toString(), message) ? jsonOf({}, 404) : respond(message);
  }

  const url = await serve((own) => async (request, response) => {
    if (request.url === placeOfMetadata()) {
      return send(
        response,
        jsonOf({
          resource: `${own}/mcp`,
          authorization_servers: [state.issuer],
          ...(state.scopes && { scopes_supported: state.scopes }),
        }),
      );
    }
    send(response, await answerTo(own, request, await bodyOf(request)));
  });
  return { url: `${url}/mcp`, calls, held, state, forgetSessions: () => known.clear() };
}

const METADATA = '/.well-known/oauth-protected-resource/mcp';

type Message = { id?: number; method: string; params?: { name?: string } };
