import type { Runtime, System } from '@svc/runtime';
import { z } from 'zod';
import { streamEvents } from '../events/event-stream.ts';
import { createPresence } from '../events/presence.ts';
import type { OpenedParts } from '../page-api/page-call.ts';
import { serveCalls } from '../page-api/serve-calls.ts';
import type { Session, Sessions } from '../sessions/sessions.ts';
import { sendBytes, sendJson } from './answer.ts';
import { type Exchange, invalid, notFound, type Route } from './exchange.ts';
import { createPictures } from './pictures.ts';
import { readJson } from './read-body.ts';
import { bearerIn } from './secret.ts';

const MAX_KEY_BYTES = 1_024;

const Key = z.strictObject({ key: z.string().max(200) });

type Deps = {
  sessions: Sessions;
  parts: OpenedParts;
  system: System;
  runtime: Pick<Runtime, 'library' | 'pictures'>;
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
    {
      path: '/api/session.open',
      method: 'POST',
      async serve({ request, response }) {
        const given = Key.safeParse(await readJson(request, MAX_KEY_BYTES));
        if (!given.success) throw invalid('Send { "key": "…" }.');
        sendJson(response, { bearer: sessions.open(given.data.key) });
      },
    },
    {
      path: '/api/',
      method: 'POST',
      serve: inSession((exchange, session, name) => answerCall(exchange, name, { session })),
    },
    {
      path: '/events',
      method: 'GET',
      serve: inSession((exchange, session) =>
        presence.during(session, () => streamEvents(exchange, session, { events: parts.events, system })),
      ),
    },
    {
      path: '/uploads',
      method: 'POST',
      serve: inSession(async (exchange, session) =>
        sendJson(exchange.response, await parts.uploads.receive(exchange, session)),
      ),
    },
    {
      path: '/files/',
      method: 'GET',
      serve: inSession(async ({ response }, session, id) => {
        const { name, type, content } = await parts.kept.read(session, id);
        sendBytes(response, { type, name, bytes: content });
      }),
    },
    {
      path: '/attachments/',
      method: 'GET',
      serve: inSession(async ({ response }, _session, id) => sendBytes(response, parts.chats.read(id))),
    },
    {
      path: '/card-files/',
      method: 'GET',
      serve: inSession(async ({ response }, _session, rest) => {
        const [, cardId = '', index = ''] = /^([^/]*)\/(\d{1,3})$/.exec(rest) ?? [];
        const file = parts.desktop.prompts.fileOf(cardId, Number(index));
        if (cardId === '' || !file) throw notFound();
        sendBytes(response, file);
      }),
    },
    {
      path: '/icons/',
      method: 'GET',
      serve: inSession(async ({ response }, _session, appId) =>
        sendBytes(response, await pictures.brandingOf(appId, 'icon')),
      ),
    },
    {
      path: '/marks/',
      method: 'GET',
      serve: inSession(async ({ response }, _session, appId) =>
        sendBytes(response, await pictures.brandingOf(appId, 'mark')),
      ),
    },
    {
      path: '/pictures/',
      method: 'GET',
      serve: inSession(async ({ response }, _session, rest) => {
        const [, sha256 = '', file = ''] = /^([^/]*)\/(.*)$/s.exec(rest) ?? [];
        sendBytes(response, await pictures.pictureIn(sha256, file));
      }),
    },
  ];
}
