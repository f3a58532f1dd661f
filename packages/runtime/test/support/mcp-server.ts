import type { IncomingMessage, ServerResponse } from 'node:http';
import { serveHere } from '@svc/testkit/http-server';
import type { Serve } from './internet.ts';

/** A JSON-RPC message that the server of a test receives. */
export type Message = {
  id?: number | string;
  method: string;
  params: { name?: string; arguments?: Record<string, unknown>; _meta?: { progressToken?: string | number } };
};

export type Exchange = { request: IncomingMessage; response: ServerResponse; message: Message; url: string };

/** Handles a call of a tool. Returns the result, or undefined when it answers the request itself. */
export type Play = (exchange: Exchange) => object | undefined | Promise<object | undefined>;

export type ServerOptions = {
  tools?: readonly {
    name: string;
    description?: string;
    inputSchema?: object;
    outputSchema?: object;
    annotations?: object;
  }[];
  /** Called first for each request; returns true when it has answered. */
  before?: (exchange: Exchange) => boolean | Promise<boolean>;
  /** Starts the server; on this machine by default. */
  serve?: Serve;
};

export const text = (value: string): object => ({ content: [{ type: 'text', text: value }] });

export function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Sends one message as an event of a stream. */
export function event(response: ServerResponse, message: unknown): void {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
}

/** The tools of `openCalls`: a client calls no tool that its server does not list. */
const USUAL = ['plain', 'mine', 'confirmed'].map((name) => ({ name }));

/**
 * A minimal MCP server (2025-11-25): it supports what a call needs, and the test defines the rest, so that a test can break any
 * rule of the protocol.
 */
export async function serveMcp(play: Play, { tools = USUAL, before, serve = serveHere }: ServerOptions = {}) {
  const asked: Exchange[] = [];
  const answer = async (exchange: Exchange): Promise<void> => {
    const { message, response } = exchange;
    const { id, method } = message;
    if (before && (await before(exchange))) return;
    const respond = (result: object) => json(response, { jsonrpc: '2.0', id, result });
    if (method === 'initialize') {
      const serverInfo = { name: 'test', version: '1' };
      response.setHeader('mcp-session-id', 'session-1');
      return respond({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo });
    }
    if (method === 'tools/list') {
      return respond({ tools: tools.map((tool) => ({ inputSchema: { type: 'object' }, ...tool })) });
    }
    if (method === 'tools/call') {
      const result = await play(exchange);
      return result ? respond(result) : undefined;
    }
    if (id === undefined) return void response.writeHead(202).end();
    json(response, { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
  };
  const origin = await serve((url) => async (request, response) => {
    if (request.method !== 'POST')
      return void response.writeHead(request.method === 'DELETE' ? 200 : 405).end();
    const message = JSON.parse(await bodyOf(request)) as Message;
    const exchange = { request, response, message, url };
    asked.push(exchange);
    await answer(exchange);
  });
  return {
    url: `${origin}/mcp`,
    origin,
    asked,
    /** Headers of the requests of one method. */
    headersOf: (method: string) =>
      asked.filter(({ message }) => message.method === method).map(({ request }) => request.headers),
  };
}
