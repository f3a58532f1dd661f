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
  /** 0 takes any that is free. */
  port?: number;
  /** Where boards and sign-ins are kept; null keeps them in memory. */
  data?: string | null;
  /** Address under which others reach this server, when it is not that of its socket: `https://pins.example.com`. */
  origin?: string | null;
  /** Seconds for which an access token is good. */
  accessTokenSeconds?: number;
  /** Told of faults of this program, after which it goes on. */
  onFault?: (error: unknown) => void;
};

/** A running server. */
export type Pinboard = {
  origin: string;
  /** Where its MCP server answers: what `plugin.json` names. */
  mcpUrl: string;
  close(): Promise<void>;
};

/** Seconds: short enough that a token which got lost is soon worth nothing. */
const ACCESS_TOKEN_SECONDS = 15 * 60;

/** Paths that are not the authorization server's. */
const IS_APP = /^\/(?:mcp|api\/|\.well-known\/oauth-protected-resource)/;

/** What answers at an address: the sign-in, and behind it the board. */
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
 * Opens the server: MCP, the panel's API and the sign-in at one address, so that there is one thing to start and to read. They
 * could be two: they share nothing but the check of a token.
 * @throws when the port is taken, or the folder cannot be used
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
