import type { DatabaseSync } from 'node:sqlite';
import {
  type AuthInfo,
  buildOAuthProtectedResourceMetadata,
  createMcpHandler,
} from '@modelcontextprotocol/server';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { cors } from 'hono/cors';
import { createMiddleware } from 'hono/factory';
import { z } from 'zod';
import { type Board, openBoard } from '../board/board.ts';
import { BoardError } from '../board/board-error.ts';
import { MAX_BYTES, readPicture } from '../board/picture.ts';
import { toolsOf } from '../board/tools.ts';
import { SCOPE } from '../sign-in/provider.ts';
import { personOf } from './access.ts';

export type RouteDeps = {
  database: DatabaseSync;
  origin: string;
  resource: string;
  /** The user of a request, or the error response. */
  letIn: (request: Request) => Promise<AuthInfo | Response>;
  /** Called for unexpected errors, whose details are never sent to clients. */
  onFault: (error: unknown) => void;
};

/** A client sends at most 64 MiB of files in one call, in base64. */
const MAX_CALL = 96 * 1024 * 1024;
const MAX_NOTE = 16 * 1024;

const Note = z.strictObject({ text: z.string() });
const KindAsked = z.enum(['note', 'picture']).optional();

type Env = { Variables: { access: AuthInfo; board: Board } };

/** The protected resource metadata (RFC 9728). */
const metadataOf = ({ origin, resource }: RouteDeps) =>
  buildOAuthProtectedResourceMetadata({
    oauthMetadata: {
      issuer: origin,
      authorization_endpoint: `${origin}/auth`,
      token_endpoint: `${origin}/token`,
      response_types_supported: ['code'],
    },
    resourceServerUrl: new URL(resource),
    scopesSupported: [SCOPE],
    resourceName: 'Pinboard',
  });

/** The API of the panel. It only uses the token, and no cookies, so CORS can allow any origin. */
function boardApi(): Hono<Env> {
  const api = new Hono<Env>();
  const tooLarge = () => {
    throw new BoardError(413, 'The request is too large for this server.');
  };
  api.get('/pins', (context) => {
    const kind = KindAsked.safeParse(context.req.query('kind'));
    if (!kind.success) throw new BoardError(400, '"kind" is "note" or "picture".');
    return context.json({ pins: context.var.board.list(kind.data) });
  });
  api.post('/notes', bodyLimit({ maxSize: MAX_NOTE, onError: tooLarge }), async (context) => {
    const note = Note.safeParse(await context.req.json().catch(() => null));
    if (!note.success) throw new BoardError(400, 'A note is { "text": "…" }.');
    return context.json({ pin: context.var.board.pinNote(note.data.text) }, 201);
  });
  api.post('/pictures', bodyLimit({ maxSize: MAX_BYTES, onError: tooLarge }), async (context) => {
    const picture = await readPicture(new Uint8Array(await context.req.arrayBuffer()));
    const [pin] = context.var.board.pinPictures([picture], context.req.query('text') ?? '');
    return context.json({ pin }, 201);
  });
  api.get('/pictures/:id', (context) => {
    const picture = context.var.board.picture(context.req.param('id')) as Uint8Array<ArrayBuffer>;
    return context.body(picture, 200, {
      'content-type': 'image/webp',
      'content-security-policy': "default-src 'none'; sandbox",
    });
  });
  api.delete('/pins/:id', (context) => {
    context.var.board.remove(context.req.param('id'));
    return context.body(null, 204);
  });
  return api;
}

/** Everything but the sign-in: the MCP server, the API of the panel, and the metadata about tokens. */
export function createRoutes(deps: RouteDeps): Hono<Env> {
  const app = new Hono<Env>();
  const mcp = createMcpHandler(
    ({ authInfo }) => toolsOf(openBoard(deps.database, personOf(authInfo ?? {}))),
    { maxRequestBodySize: MAX_CALL, onerror: deps.onFault },
  );
  const metadata = metadataOf(deps);
  const signedIn = createMiddleware<Env>(async (context, next) => {
    const access = await deps.letIn(context.req.raw);
    if (access instanceof Response) return access;
    context.set('access', access);
    context.set('board', openBoard(deps.database, personOf(access)));
    await next();
    return undefined;
  });

  app.use(async (context, next) => {
    await next();
    context.header('x-content-type-options', 'nosniff');
    context.header('cache-control', 'no-store');
  });
  app.use(
    '/api/*',
    cors({
      origin: '*',
      allowMethods: ['GET', 'POST', 'DELETE'],
      allowHeaders: ['authorization', 'content-type'],
      maxAge: 600,
    }),
  );
  app.get('/.well-known/oauth-protected-resource/mcp', cors(), (context) => context.json(metadata));
  app.all('/mcp', signedIn, (context) => mcp.fetch(context.req.raw, { authInfo: context.var.access }));
  app.use('/api/*', signedIn);
  app.route('/api', boardApi());
  app.notFound((context) => context.json({ message: 'Not found.' }, 404));
  app.onError((error, context) => {
    if (error instanceof BoardError) return context.json({ message: error.message }, error.status);
    deps.onFault(error);
    return context.json({ message: 'The server failed.' }, 500);
  });
  return app;
}
