import { once } from 'node:events';
import { inBackground } from '@svc/contracts/guarded';
import type { AppPicture, Runtime, System } from '@svc/runtime';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { PageEvents } from '../events/page-events.ts';
import { handFiles } from '../gateway/hand-files.ts';
import type { OpenedParts } from '../page-api/page-call.ts';
import { serveCalls } from '../page-api/serve-calls.ts';
import type { Session, Sessions } from '../sessions/sessions.ts';
import { MAX_UPLOAD_BYTES } from '../wire/limits.ts';
import { sendBytes, sendJson } from './answer.ts';
import { type Exchange, invalid, notFound, on, type Route, readJson } from './exchange.ts';
import { bearerIn } from './secret.ts';

/** Most cached images, because reading one reads a whole bundle. */
const MAX_CACHED = 64;

/**
 * Reads images of installed apps, of verified bundles that a consent card shows, and of apps in the store. All are bitmaps; pages show a letter
 * for a 404.
 */
function createPictures({ library, pictures, reader }: Pick<Runtime, 'library' | 'pictures' | 'reader'>) {
  const cache = new LRUCache<string, AppPicture>({ max: MAX_CACHED });

  async function read(key: string | null, picture: () => Promise<AppPicture | null>): Promise<AppPicture> {
    const found = (key !== null && cache.get(key)) || (await picture());
    if (!found) throw notFound('Image not found.');
    if (key !== null) cache.set(key, found);
    return found;
  }

  return {
    /** The icon or the mark of an installed app. */
    brandingOf(appId: string, which: 'icon' | 'mark'): Promise<AppPicture> {
      const source = library.get(appId)?.source;
      // A folder under development changes without a new version.
      const key = source?.kind === 'store' ? `${source.sha256} ${which}` : null;
      return read(key, () => pictures.branding(appId, which));
    },
    /** An image in a bundle, by the bundle's hash and path. */
    pictureIn: (sha256: string, path: string): Promise<AppPicture> =>
      read(`${sha256}/${path}`, () => pictures.inBundle(sha256, path)),
    /** A picture of an app in the store, or in a mirror of it. */
    ofStore: (url: string, signal: AbortSignal): Promise<AppPicture> =>
      read(url, () => reader.picture(url, signal)),
  };
}

/** How long a session may have no stream before its page counts as closed, in milliseconds: it may be reloading. */
const ABSENCE_MS = 60_000;

/**
 * Detects closed pages by the event streams of their sessions.
 * @param onLeft called for a session without streams
 */
export function createPresence(system: Pick<System, 'sleep'>, onLeft: (session: Session) => void) {
  const streams = new Map<Session, number>();

  async function watch(session: Session): Promise<void> {
    await system.sleep(ABSENCE_MS, session.ended);
    if (!streams.has(session)) onLeft(session);
  }

  return {
    /** Counts a stream of a session for as long as the work takes. */
    async during(session: Session, work: () => Promise<void>): Promise<void> {
      streams.set(session, (streams.get(session) ?? 0) + 1);
      try {
        await work();
      } finally {
        const remaining = (streams.get(session) ?? 1) - 1;
        if (remaining > 0) streams.set(session, remaining);
        else {
          streams.delete(session);
          // Rejects if the session has ended, which closes everything anyway.
          inBackground(watch(session), () => undefined);
        }
      }
    },
  };
}

/** Interval of keep-alive comments, in milliseconds. */
const PULSE_MS = 20_000;

/** Most bytes buffered for a page that does not read. Beyond that the stream is closed, and the page reconnects. */
const MAX_WAITING = 8 * 1024 * 1024;

/** Streams events to a page (HTML standard, server-sent events) until it disconnects or its session ends. */
async function streamEvents(
  { response, signal }: Exchange,
  session: Session,
  { events, system }: { events: PageEvents; system: Pick<System, 'sleep'> },
): Promise<void> {
  response.writeHead(200, {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  const send = (text: string) => {
    if (response.writableLength > MAX_WAITING) response.destroy();
    else response.write(text);
  };
  // A comment, so that the page knows that the stream is open.
  send(': open\n\n');
  const stop = events.subscribe(session.id, (event) => send(`data: ${JSON.stringify(event)}\n\n`));
  const closed = AbortSignal.any([signal, session.ended]);
  const keepAlive = async () => {
    for (;;) {
      await system.sleep(PULSE_MS, closed);
      send(':\n\n');
    }
  };
  // It ends by the abort of its timer.
  inBackground(keepAlive(), () => undefined);
  try {
    if (!closed.aborted) await once(closed, 'abort');
  } finally {
    stop();
    response.end();
  }
}

const MAX_KEY_BYTES = 1_024;

const Key = z.strictObject({ key: z.string().max(200) });

type Deps = {
  sessions: Sessions;
  parts: OpenedParts;
  system: System;
  runtime: Pick<Runtime, 'library' | 'pictures' | 'reader'>;
};

/** The routes of pages. All except the exchange of a key require the bearer of a session, before the body is read. */
export function pageRoutes({ sessions, parts, system, runtime }: Deps): Route[] {
  const answerCall = serveCalls({ ...parts, newKey: sessions.newKey });
  const pictures = createPictures(runtime);
  const presence = createPresence(system, parts.panels.leave);
  const inSession =
    (serve: (exchange: Exchange, session: Session, rest: string) => Promise<void>): Route['serve'] =>
    (exchange, rest) =>
      serve(exchange, sessions.require(bearerIn(exchange.request.headers.authorization)), rest);

  return [
    on('POST /api/session.open', async ({ request, response }) => {
      const given = Key.safeParse(await readJson(request, MAX_KEY_BYTES));
      if (!given.success) throw invalid('Send { "key": "…" }.');
      sendJson(response, { bearer: sessions.open(given.data.key) });
    }),
    on(
      'POST /api/',
      inSession((exchange, session, name) => answerCall(exchange, name, { session })),
    ),
    on(
      'GET /events',
      inSession((exchange, session) =>
        presence.during(session, () => streamEvents(exchange, session, { events: parts.events, system })),
      ),
    ),
    on(
      'POST /uploads',
      inSession(async (exchange, session) =>
        sendJson(exchange.response, await parts.uploads.receive(exchange, session)),
      ),
    ),
    on(
      'GET /files/',
      inSession(async ({ response }, session, id) => {
        const { name, type, content } = await parts.kept.read(session, id);
        sendBytes(response, { type, name, bytes: content });
      }),
    ),
    on(
      'GET /attachments/',
      inSession(async ({ response }, _session, id) => sendBytes(response, parts.chats.read(id))),
    ),
    on(
      'GET /conversations',
      inSession(async ({ response }) => sendBytes(response, await parts.chats.exportAll())),
    ),
    on(
      'GET /project-files',
      inSession(async ({ response, query }) => {
        const folders = parts.desktop.settings.sharedFolders(query.get('project'));
        const { files } = await handFiles({ files: query.get('path') ?? '' }, folders, MAX_UPLOAD_BYTES);
        for (const { name, bytes } of files ?? [])
          sendBytes(response, { type: 'application/octet-stream', name, bytes });
      }),
    ),
    on(
      'GET /card-files/',
      inSession(async ({ response }, _session, rest) => {
        const [, cardId = '', index = ''] = /^([^/]*)\/(\d{1,3})$/.exec(rest) ?? [];
        const file = parts.desktop.prompts.fileOf(cardId, Number(index));
        if (cardId === '' || !file) throw notFound();
        sendBytes(response, file);
      }),
    ),
    on(
      'GET /icons/',
      inSession(async ({ response }, _session, appId) =>
        sendBytes(response, await pictures.brandingOf(appId, 'icon')),
      ),
    ),
    on(
      'GET /marks/',
      inSession(async ({ response }, _session, appId) =>
        sendBytes(response, await pictures.brandingOf(appId, 'mark')),
      ),
    ),
    on(
      'GET /store-picture',
      inSession(async ({ response, query, signal }) =>
        sendBytes(response, await pictures.ofStore(query.get('of') ?? '', signal)),
      ),
    ),
    on(
      'GET /pictures/',
      inSession(async ({ response }, _session, rest) => {
        const [, sha256 = '', file = ''] = /^([^/]*)\/(.*)$/s.exec(rest) ?? [];
        sendBytes(response, await pictures.pictureIn(sha256, file));
      }),
    ),
  ];
}
