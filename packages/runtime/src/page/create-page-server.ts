import { createHash, timingSafeEqual } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import modules from 'node:module';
import { extname, join } from 'node:path';
import { guarded, reportFault } from '@svc/contracts/guarded';
import { contentType } from 'mime-types';
import { z } from 'zod';
import { UserAnswer } from '../cards/user-answer.ts';
import { IN_TURN, inTurn } from '../network/in-turn.ts';
import { listenOnLoopback } from '../network/listen-on-loopback.ts';
import { defaultSystem } from '../platform/default-system.ts';
import { asRefusal, RuntimeError } from '../platform/runtime-error.ts';
import type { Runtime } from '../runtime.ts';
import { createCardQueue, createPageStreams } from './page-streams.ts';
import { createShownPanels } from './shown-panels.ts';

/** The modules of the page side, without extension: the entry `page` and everything that it imports. */
export const PAGE_MODULES = [
  'page',
  'page/client/connect-page',
  'page/client/panel-element',
  'page/client/read-events',
  'panels/host/frame-element',
  'panels/host/mount-panel',
  'platform/token-bucket',
  'panels/bridge/messages',
] as const;

const FOLDER = join(import.meta.dirname, '..');

/** `.js` as published; `.ts` when the sources run directly. */
const ENDING = extname(import.meta.filename);

/** The source of a module by its path, such as `page.js`; null if the page does not need such a module. */
export async function pageModule(path: string): Promise<string | null> {
  const name = path.slice(0, -extname(path).length);
  if (!PAGE_MODULES.some((known) => known === name)) return null;
  const text = await readFile(join(FOLDER, name + ENDING), 'utf8');
  return ENDING === '.ts' ? modules.stripTypeScriptTypes(text) : text;
}

/** The folder of the page's files, and the source of the panels that it may frame. */
type PageFiles = { folder: URL; panelSource(): string };

const nameIn = (address: string): string => (address === '/' ? 'index.html' : address.slice(1));

/** Allows only files of the page and panels; no inline styles, and no other page may frame it. */
const policyFor = (panelSource: string): string =>
  `default-src 'self'; frame-src ${panelSource}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** Serves the files directly in a folder, not those of subfolders, with a policy that blocks inline scripts. */
async function servePageFile(
  { folder, panelSource }: PageFiles,
  { url = '/', method }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [address = ''] = url.split('?');
  const name = nameIn(address);
  // The name must be one of the folder's entries, so that no path leaves the folder.
  const entries = await readdir(folder, { withFileTypes: true });
  const file = entries.find((entry) => entry.isFile() && entry.name === name);
  if (!file || method !== 'GET') return void response.writeHead(404).end();
  const bytes = await readFile(new URL(encodeURIComponent(name), folder));
  response.writeHead(200, {
    'Content-Type': contentType(name) || 'application/octet-stream',
    'Content-Security-Policy': policyFor(panelSource()),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-cache',
  });
  response.end(bytes);
}

const MAX_BODY = 8 * 1024 * 1024;

const PageRequest = z.strictObject({
  session: z.string().max(100),
  method: z.string().min(1).max(100),
  params: z.unknown().optional(),
});

const CardAnswer = z.strictObject({ id: z.string().max(100), answer: UserAnswer });

/** Reads the request of a page. @throws RuntimeError `too-large`; ZodError or SyntaxError for an invalid request */
async function readRequest(request: IncomingMessage): Promise<z.output<typeof PageRequest>> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    bytes += piece.length;
    if (bytes > MAX_BODY) throw new RuntimeError('too-large');
    pieces.push(piece);
  }
  return PageRequest.parse(JSON.parse(Buffer.concat(pieces).toString()));
}

/** Parses the answer to a card. @throws ZodError */
const readAnswer = (params: unknown): z.output<typeof CardAnswer> => CardAnswer.parse(params);

/** Whether an error means that the page sent an invalid request. */
const isMalformed = (error: unknown): boolean => error instanceof z.ZodError || error instanceof SyntaxError;

export type PageServerOptions = {
  /** The URL path of the server. Default: `/svc`. */
  path?: string;
  /** The client's own methods for pages, by name. The page receives a `RuntimeError`; only `onFault` receives other errors. */
  calls?: Readonly<Record<string, (params: never) => unknown>>;
  /** Called with faults of the program. Default: they are emitted as process warnings. */
  onFault?(error: unknown): void;
};

/** The methods of a runtime that a page server uses. */
export type PageRuntime = Pick<Runtime, 'openPanel' | 'panelSource'>;

type Method = (session: string, params: unknown) => unknown;
type Methods = Readonly<Record<string, Method>>;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compares in constant time. */
const isKey = (key: string, header = ''): boolean => timingSafeEqual(digest(`Bearer ${key}`), digest(header));

const newId = (): string => Buffer.from(defaultSystem.randomBytes(32)).toString('base64url');

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(JSON.stringify(body ?? null));
}

/** The server's own methods take precedence over the client's. Only own properties count: there is no method `constructor`. */
function methodOf(own: Methods, calls: PageServerOptions['calls'] = {}, name: string): Method {
  const [method, call] = [Object.hasOwn(own, name) && own[name], Object.hasOwn(calls, name) && calls[name]];
  if (method) return method;
  if (call) return (_session, params) => call(params as never);
  throw new RuntimeError('not-offered', `There is no call ${JSON.stringify(name)}.`);
}

/**
 * Responds with an error: a refusal with its code, an invalid request as such, and a fault of the program without details. A page that
 * disconnected while it sent is no fault.
 */
function refuse(response: ServerResponse, error: unknown, onFault: (error: unknown) => void): void {
  if (response.req.readableAborted) return;
  const refusal = asRefusal(error);
  if (!refusal && !isMalformed(error)) onFault(error);
  if (response.headersSent) response.destroy();
  else if (refusal) sendJson(response, 409, { code: refusal.code, message: refusal.message });
  else if (isMalformed(error))
    sendJson(response, 400, {
      code: 'invalid-arguments',
      message: 'The parameters of the call are not valid.',
    });
  else sendJson(response, 500, { code: 'internal', message: 'The client failed.' });
}

function createMethods(
  emit: ReturnType<typeof createPageStreams>['emit'],
  onFault: (error: unknown) => void,
) {
  let attached: PageRuntime | null = null;
  const runtime = (): PageRuntime => {
    if (attached) return attached;
    throw new RuntimeError('not-offered', 'No runtime is attached to this server.');
  };
  const cards = createCardQueue(newId, emit);
  const panels = createShownPanels({ newId, emit, onFault, runtime });
  const methods: Methods = {
    ...panels.methods,
    'svc.answer'(_session, params) {
      const { id, answer } = readAnswer(params);
      return cards.answer(id, answer);
    },
  };
  return {
    cards,
    panels,
    methods,
    panelSource: () => attached?.panelSource ?? "'none'",
    attach(to: PageRuntime) {
      attached = to;
    },
  };
}

/** Creates the server side of the connection between a runtime and its pages; `@svc/runtime/page` is the page side. */
export function createPageServer(options: PageServerOptions = {}) {
  const { path = '/svc', calls, onFault = reportFault } = options;
  const key = newId();
  const streams = createPageStreams();
  const { cards, panels, methods, panelSource, attach } = createMethods(streams.emit, onFault);
  let stopListening = async (): Promise<void> => {};

  async function serveStream(response: ServerResponse): Promise<void> {
    const session = newId();
    await streams.serve(response, session, [{ type: 'opened', session }, ...cards.waiting()]);
    panels.leave(session);
  }

  async function serveCall(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { session, method, params } = await readRequest(request);
    if (!streams.has(session))
      throw new RuntimeError('not-offered', 'This page is not connected: open it again.');
    sendJson(response, 200, await methodOf(methods, calls, method)(session, params));
  }

  async function answer(request: IncomingMessage, response: ServerResponse, name: string): Promise<void> {
    // Modules contain no secret, and browsers send no key for them.
    const module = request.method === 'GET' ? await pageModule(name) : null;
    if (module !== null) {
      const headers = { 'Content-Type': 'text/javascript', 'X-Content-Type-Options': 'nosniff' };
      return void response.writeHead(200, headers).end(module);
    }
    const asked = `${request.method} ${name}`;
    if (asked !== 'GET events' && asked !== 'POST calls') return void response.writeHead(404).end();
    if (!isKey(key, request.headers.authorization))
      return sendJson(response, 401, { code: 'unauthorized', message: 'Send the key of this page.' });
    await (asked === 'GET events' ? serveStream(response) : serveCall(request, response));
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const [address = ''] = (request.url ?? '').split('?');
    if (!address.startsWith(`${path}/`)) return false;
    await answer(request, response, address.slice(path.length + 1)).catch((error: unknown) =>
      refuse(response, error, onFault),
    );
    return true;
  }

  return {
    /** 256 random bits. Anyone with the key can answer cards: pass it only to your own page, in the fragment of its URL. */
    key,
    /** The `ask` of the runtime: shows each card on every page. */
    ask: cards.ask,
    /** Sets the runtime whose panels pages open. */
    attach,
    /** Handles a request if it is for this server. @returns false when it is not */
    handle,
    /**
     * Serves the files of a folder on this machine only, for a client without a server of its own.
     * @param port default: any free port
     * @returns the origin of the page, for `client.origin` of the runtime
     */
    async listen(folder: URL, port: number = 0): Promise<{ origin: string }> {
      const answer = async (request: IncomingMessage, response: ServerResponse) => {
        if (await handle(request, response)) return;
        await servePageFile({ folder, panelSource }, request, response).catch((error: unknown) =>
          refuse(response, error, onFault),
        );
      };
      const make = () => createServer(IN_TURN, inTurn(guarded(answer, onFault)));
      const listening = await listenOnLoopback(make, port);
      stopListening = listening.close;
      return { origin: `http://localhost:${listening.port}` };
    },
    /** Ends the streams of all pages, closes their panels, and stops listening. */
    async close() {
      streams.close();
      await stopListening();
    },
  };
}

/** Transfers cards and panels between a runtime and pages of this machine. */
export type PageServer = ReturnType<typeof createPageServer>;
