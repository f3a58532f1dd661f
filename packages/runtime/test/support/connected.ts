import { type ConnectionOptions, connectToServer } from '../../src/calls/connection.ts';
import { createKnownEras } from '../../src/calls/negotiate-era.ts';
import { system } from './system.ts';

/** A message that the client sent. */
export type Sent = { method: string; id?: number; params?: Record<string, unknown> };

/** Connects to a server without a network. `get` answers each request for a stream, `answer` other requests than the first. */
export async function connected(
  options: Partial<ConnectionOptions> = {},
  {
    capabilities = { tools: {} },
    isModern = false,
    answer = () => ({}),
    get = () => new Response(null, { status: 405 }),
    end = async () => new Response(),
  }: {
    capabilities?: object;
    isModern?: boolean;
    answer?: (message: Sent) => object | null;
    get?: (init: RequestInit) => Response;
    end?: (init: RequestInit) => Promise<Response>;
  } = {},
) {
  const asked: Sent[] = [];
  const first = (revision: object) => ({
    ...{ capabilities, serverInfo: { name: 's', version: '1' }, resultType: 'complete', ...revision },
    ...{
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 's', version: '1' } },
    },
  });
  const resultOf = (message: Sent): object | null => {
    if (message.method === 'initialize') return first({ protocolVersion: '2025-11-25' });
    if (message.method === 'server/discover')
      return isModern ? first({ supportedVersions: ['2026-07-28'] }) : null;
    return answer(message);
  };
  const connection = await connectToServer({
    ...{ system, client: { name: 'test', version: '1' }, known: createKnownEras(system) },
    url: 'https://mcp.example.com/',
    async fetch(_input, init = {}) {
      if (init.method === 'GET') return get(init);
      if (init.method === 'DELETE') return end(init);
      const message = JSON.parse(String(init.body)) as Sent;
      asked.push(message);
      if (message.id === undefined) return new Response(null, { status: 202 });
      const result = resultOf(message);
      if (result instanceof Response) return result;
      const body = {
        jsonrpc: '2.0',
        id: message.id,
        ...(result ? { result } : { error: { code: -32601, message: 'no' } }),
      };
      return Response.json(body, { headers: { 'mcp-session-id': 's' } });
    },
    signal: new AbortController().signal,
    ...options,
  });
  return { connection, asked };
}

/** Never aborted. */
export const { signal } = new AbortController();
/** A response with these messages as a stream of events. */
export const streamed = (...messages: object[]) =>
  new Response(
    messages.map((message) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`).join(''),
    {
      headers: { 'content-type': 'text/event-stream' },
    },
  );
