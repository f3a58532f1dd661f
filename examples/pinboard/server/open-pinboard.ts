import type { RequestListener } from 'node:http';
import type { DatabaseSync } from 'node:sqlite';
import { getRequestListener } from '@hono/node-server';
import { openDatabase, secretOf } from './database.ts';
import { requireToken } from './http/access.ts';
import { close, listen } from './http/listen.ts';
import { createRoutes } from './http/routes.ts';
import { createInteractions } from './sign-in/interactions.ts';
import { createProvider } from './sign-in/provider.ts';

export type PinboardOptions = {
  /** 0 for any free port. */
  port?: number;
  /** Folder for boards and sign-ins; null keeps them in memory. */
  data?: string | null;
  /** Public origin of this server, if it is not that of its socket: `https://pins.example.com`. */
  origin?: string | null;
  /** Lifetime of an access token, in seconds. */
  accessTokenSeconds?: number;
  /** Called for unexpected errors; the server continues. */
  onFault?: (error: unknown) => void;
};

/** A running server. */
export type Pinboard = {
  origin: string;
  /** URL of the MCP server, as in `plugin.json`. */
  mcpUrl: string;
  close(): Promise<void>;
};

/** In seconds; short, so that a stolen token soon expires. */
const ACCESS_TOKEN_SECONDS = 15 * 60;

/** Paths that do not belong to the authorization server. */
const IS_APP = /^\/(?:mcp|api\/|\.well-known\/oauth-protected-resource)/;

/** The request handler: the sign-in and the board. */
function listenerOf(
  database: DatabaseSync,
  origin: string,
  { accessTokenSeconds = ACCESS_TOKEN_SECONDS, onFault = () => undefined }: PinboardOptions,
): RequestListener {
  const resource = `${origin}/mcp`;
  const provider = createProvider({ database, origin, resource, accessTokenSeconds });
  provider.on('server_error', (_context, error) => onFault(error));
  const letIn = requireToken(provider, resource);
  const app = getRequestListener(createRoutes({ database, origin, resource, letIn, onFault }).fetch);
  const signIn = provider.callback();
  const interact = createInteractions(provider, secretOf(database, 'seal-key'));
  return (request, response) => {
    const url = request.url ?? '';
    if (IS_APP.test(url)) return void app(request, response);
    if (!url.startsWith('/interaction/')) return void signIn(request, response);
    interact(request, response).catch((error: unknown) => {
      onFault(error);
      response.writeHead(500).end();
    });
  };
}

/**
 * Opens the server: MCP, the API of the panel and the sign-in at one origin, so that there is only one server to start. They
 * could be two servers: they only share the check of a token.
 * @throws when the port is in use, or the folder cannot be used
 */
export async function openPinboard(options: PinboardOptions = {}): Promise<Pinboard> {
  const database = openDatabase(options.data ?? null);
  try {
    const { server, origin } = await listen(options.port ?? 0, options.origin ?? null, (own) =>
      listenerOf(database, own, options),
    );
    return {
      origin,
      mcpUrl: `${origin}/mcp`,
      async close() {
        await close(server);
        database.close();
      },
    };
  } catch (error) {
    database.close();
    throw error;
  }
}
