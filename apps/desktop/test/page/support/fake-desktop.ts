import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { defaultSystem } from '@svc/runtime';
import { createPreviews } from '@svc/runtime/parts';
import { cacheControlOf } from '../../../src/http/page-files.ts';
import { readDiagramScript } from '../../../src/page-api/previews.ts';
import type { CallName, DesktopCalls } from '../../../src/wire/calls.ts';
import type { DesktopEvent } from '../../../src/wire/events.ts';
import { HOSTILE, PANEL_PAGE, STORE } from './sample-data.ts';

const PAGE = join(import.meta.dirname, '../../../page');
const VITE = join(import.meta.dirname, '../../../../../node_modules/vite/bin/vite.js');

/** The picture of every card. */
const PHOTO = join(import.meta.dirname, '../../../../../examples/pinboard/app/assets/board-light.png');

/** A hundred samples of silence as a WAV file (RIFF, PCM, 8 bits, 8 kHz). */
const SILENCE = Buffer.concat([
  Buffer.from('UklGRogAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YWQAAAA=', 'base64'),
  Buffer.alloc(100, 0x80),
]);

/** Files that apps returned, by id; any other id is a text file. */
const RETURNED: Readonly<
  Record<string, readonly [type: string, bytes: () => Promise<Buffer> | Buffer | string]>
> = {
  photo: ['image/png', () => readFile(PHOTO)],
  sound: ['audio/wav', () => SILENCE],
};

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
};

/** The policy that the desktop's own server sends with the page. */
const policy = (panels: string, store: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' blob: ${store}; media-src blob:; connect-src 'self'; frame-src ${panels}; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The refusal of a call. */
export class RefusalError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status = 422) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

export type Answers = {
  [Name in CallName]?: (
    input: DesktopCalls[Name]['in'],
  ) => DesktopCalls[Name]['out'] | Promise<DesktopCalls[Name]['out']>;
};

/** A square in the colour that the hash of its bundle begins with. */
const pictureOf = (sha256: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9" fill="#${sha256.slice(0, 6)}"/></svg>`;

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  );

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The built page: from `npm test`, or else built now into a folder that `remove` deletes. */
export async function buildPage() {
  if (process.env.SVC_TEST_BUILT !== undefined) return { folder: join(PAGE, 'dist'), remove: async () => {} };
  const folder = await mkdtemp(join(tmpdir(), 'svc-desktop-page-'));
  // In its own process: the environment of the tests would select the development build of React.
  const env = { ...process.env, NODE_ENV: 'production' };
  await promisify(execFile)(process.execPath, [VITE, 'build', PAGE, '--outDir', folder, '--emptyOutDir'], {
    env,
  });
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/**
 * A server with the API of the desktop, which serves the built page and returns the responses of a test.
 * @param answers the response to each call; a test may change them at any time
 */
export async function openFakeDesktop(answers: Answers) {
  const page = await buildPage();
  const streams = new Set<ServerResponse>();
  const asked: { name: string; input: unknown }[] = [];
  const uploads = new Map<string, string>();
  let bearer = randomUUID();
  let key = randomUUID();

  const panels = createServer(async ({ url = '/', headers }, response) => {
    const given = new Headers({ 'sec-fetch-dest': String(headers['sec-fetch-dest'] ?? '') });
    const preview = previews.serve(new Request(`${panelOrigin}${url}`, { headers: given }));
    if (preview) response.writeHead(200, Object.fromEntries(preview.headers)).end(await preview.text());
    else response.writeHead(200, { 'Content-Type': 'text/html' }).end(PANEL_PAGE);
  });
  const panelOrigin = `http://127.0.0.1:${await listen(panels)}`;

  const tell = (event: DesktopEvent) => {
    for (const stream of streams) stream.write(`data: ${JSON.stringify(event)}\n\n`);
  };

  async function answerCall(name: string, body: Buffer): Promise<unknown> {
    const input = JSON.parse(body.toString());
    asked.push({ name, input });
    if (name === 'session.open') {
      if (input.key !== key) throw new RefusalError('unauthorized', 'The link was used.', 401);
      key = randomUUID();
      return { bearer };
    }
    if (name === 'session.share') return { key };
    const answer = answers[name as CallName] as ((input: unknown) => unknown) | undefined;
    if (!answer) throw new RefusalError('not_found', `The test has no answer to ${name}.`, 404);
    return answer(input);
  }

  async function answerFile(path: string, response: ServerResponse): Promise<void> {
    const name = path === '/' ? 'index.html' : path.slice(1);
    const bytes = await readFile(join(page.folder, name)).catch(() => null);
    const type = TYPES[extname(name)];
    if (!bytes || type === undefined) throw new RefusalError('not_found', 'No such file.', 404);
    response
      .writeHead(200, {
        'Content-Type': type,
        'Content-Security-Policy': policy(panelOrigin, STORE),
        // Chromium keeps compiled scripts only of files that it may cache.
        'Cache-Control': cacheControlOf(name),
      })
      .end(bytes);
  }

  async function answerStored(path: string, response: ServerResponse): Promise<void> {
    const attached = uploads.get(path.replace('/attachments/', ''));
    if (attached !== undefined) {
      response.writeHead(200, { 'Content-Type': 'text/plain' }).end(attached);
    } else if (path.startsWith('/files/')) {
      const [type, bytes] = RETURNED[path.slice('/files/'.length)] ?? ['text/plain', () => 'kept'];
      response.writeHead(200, { 'Content-Type': type }).end(await bytes());
    } else if (path.startsWith('/card-files/')) {
      asked.push({ name: 'card-file', input: path });
      const [type, bytes] = path.endsWith('/0')
        ? ['image/png', await readFile(PHOTO)]
        : ['text/plain', HOSTILE];
      response.writeHead(200, { 'Content-Type': type }).end(bytes);
    } else if (path.startsWith('/pictures/')) {
      const [, , sha256 = '', file = ''] = path.split('/');
      asked.push({ name: 'picture', input: { sha256, file: decodeURIComponent(file) } });
      response.writeHead(200, { 'Content-Type': 'image/svg+xml' }).end(pictureOf(sha256));
    } else if (path.startsWith('/marks/')) {
      asked.push({ name: 'mark', input: { appId: path.slice('/marks/'.length) } });
      response.writeHead(200, { 'Content-Type': 'image/svg+xml' }).end(pictureOf('mark'));
    } else {
      await answerFile(path, response);
    }
  }

  function openStream(response: ServerResponse): void {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(': open\n\n');
    streams.add(response);
    response.on('close', () => streams.delete(response));
  }

  async function sendUpload(name: string, request: IncomingMessage) {
    const id = randomUUID();
    const content = await bodyOf(request);
    uploads.set(id, content.toString());
    return { id, name, type: request.headers['content-type'] ?? 'text/plain', bytes: content.length };
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const isPrivate =
      /^\/(api|events|uploads|files|card-files|icons|marks|pictures)/.test(pathname) &&
      pathname !== '/api/session.open';
    if (isPrivate && request.headers.authorization !== `Bearer ${bearer}`) {
      throw new RefusalError('unauthorized', 'Who asks?', 401);
    }
    if (pathname === '/events') return openStream(response);
    if (request.method === 'GET') return answerStored(pathname, response);
    const answer =
      pathname === '/uploads'
        ? await sendUpload(searchParams.get('name') ?? '', request)
        : await answerCall(pathname.slice('/api/'.length), await bodyOf(request));
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      const { status, code } = error instanceof RefusalError ? error : { status: 500, code: 'internal' };
      const message = error instanceof Error ? error.message : String(error);
      response
        .writeHead(status, { 'Content-Type': 'application/json' })
        .end(JSON.stringify({ code, message }));
    });
  });
  const port = await listen(server);
  const origin = `http://localhost:${port}`;
  // Those of the runtime, with their policy. 127.0.0.1 is another site than `localhost`.
  const previews = createPreviews({
    ...{ system: defaultSystem, clientOrigin: origin, originOf: () => panelOrigin },
  });
  answers['previews.open'] ??= async ({ html, title, diagram }) => ({
    preview: previews.open(html, title, diagram ? await readDiagramScript(page.folder) : null),
  });
  answers['previews.close'] ??= ({ preview }) => previews.close(preview) ?? {};

  return {
    origin,
    panelOrigin,
    answers,
    asked,
    uploads,
    tell,
    link: () => `${origin}/#key=${key}/store`,
    /** Ends all sessions, like a restart of the desktop. */
    endSessions() {
      bearer = randomUUID();
    },
    /** Number of open event streams. */
    following: () => streams.size,
    /** Closes every event stream. */
    dropStreams() {
      for (const stream of streams) stream.destroy();
    },
    async close() {
      for (const one of [server, panels]) {
        one.closeAllConnections();
        one.close();
      }
      await page.remove();
    },
  };
}
