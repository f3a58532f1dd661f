import {
  type CallRequest,
  type CallResult,
  type PageRequest,
  RuntimeError,
  type ToolCaller,
} from '@svc/runtime';
import { z } from 'zod';
import type { Desktop } from '../desktop.ts';
import { HttpError, notFound } from '../http/exchange.ts';
import type { Session } from '../sessions/sessions.ts';
import { valuesOf } from '../settings/app-values.ts';
import { requireApp } from './apps.ts';
import { AppId, call, Id, type PageParts } from './page-call.ts';

const MAX_MESSAGE = 4 * 1024 * 1024;
const MAX_PICKED = 100;

/** The asker name of panels. */
const PANEL = { name: 'panel' };

const Theme = z.enum(['light', 'dark']);
const Locale = z.string().regex(/^[A-Za-z0-9-]{1,35}$/);
const View = Id;

const Data = z.record(z.string(), z.unknown());
const PageOpening = z.strictObject({
  appId: AppId,
  tool: Id,
  project: Id,
  theme: Theme,
  locale: Locale,
  arguments: Data,
  result: z.strictObject({
    text: z.string().max(MAX_MESSAGE),
    isError: z.boolean(),
    files: z.array(Id).max(MAX_PICKED),
    structured: z.exactOptional(Data),
    given: z.exactOptional(Data),
  }),
  chat: z.exactOptional(Id),
});
type PageOpening = z.output<typeof PageOpening>;

/** The result of a call as the runtime returned it, with the files that are still there. */
async function resultOf(desktop: Desktop, { appId, project, result }: PageOpening): Promise<CallResult> {
  const { text, isError, files: ids, structured = null, given } = result;
  const read = ids.map((id) => desktop.runtime.files.read(appId, id, { project }).catch(() => null));
  const files = (await Promise.all(read)).filter((file) => file !== null);
  const parts: CallResult['parts'] = [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...files.map((file) => ({ type: 'file' as const, file })),
  ];
  return { isError, parts, structured, files, ...(given && { given }) };
}

/** What a page may do in the conversation of its call, once the user agreed. */
function conversationOf(
  { chats }: PageParts,
  chat: string,
  app: string,
): NonNullable<PageRequest['conversation']> {
  return {
    async send(text) {
      await chats.idle(chat);
      try {
        chats.send(chat, { text, files: [] });
      } catch (error) {
        throw error instanceof HttpError ? new RuntimeError('not-offered', error.message) : error;
      }
    },
    inform: (text) => chats.inform(chat, app, text),
  };
}

/** Opens the page of a call. Its calls ask like those of a model, and share what the user allowed for the conversation. */
async function openPage(parts: PageParts, opening: PageOpening, session: Session) {
  const { desktop, panels, chats, newId } = parts;
  const { appId, tool, project, theme, locale, arguments: args, chat } = opening;
  const app = requireApp(desktop.runtime.library, appId);
  if (chat !== undefined && chats.in(chat).conversations.get(chat).project !== project)
    throw notFound('Conversation not found.');
  const known = new Set<string>();
  const ofPage = { isAllowed: (key: string) => known.has(key), allow: (key: string) => void known.add(key) };
  const askAlways = { isOfPage: true, ...(chat === undefined ? ofPage : chats.allowances.in(chat)) };
  // Read again for each call: the user may switch the app off in the conversation meanwhile.
  const callerIn = (id: string | undefined): ToolCaller =>
    id === undefined ? { as: 'page' } : { as: 'page', appsOff: chats.in(id).conversations.get(id).off };
  const where = { project, chat: chat ?? `desktop-${session.id}` };
  const result = await resultOf(desktop, opening);
  return panels.open(session, () =>
    desktop.runtime.openPage(appId, {
      ...{ theme, locale, project, tool, arguments: args, result },
      call: (request) =>
        desktop.call(PANEL, {
          ...request,
          ...where,
          appId,
          callId: newId(),
          askAlways,
          caller: callerIn(chat),
        }),
      ...(chat !== undefined && { conversation: conversationOf(parts, chat, app.manifest.name) }),
    }),
  );
}

/** The panels of apps. */
export function panelCalls(parts: PageParts) {
  const { desktop, panels, picks, uploads, newId } = parts;
  return {
    /** Opens the page that the server of a connector gives a tool (MCP Apps), beside a call of the tool and its result. */
    'panels.openPage': call(PageOpening, async (opening, { session }) => {
      const { id, panel } = await openPage(parts, opening, session);
      return { panel: id, frame: panel.frame };
    }),
    'panels.open': call(
      z.strictObject({
        appId: AppId,
        panelId: Id,
        project: Id,
        theme: Theme,
        locale: Locale,
        view: z.exactOptional(View),
      }),
      async ({ appId, panelId, ...shown }, { session }) => {
        const { runtime } = desktop;
        const settings = valuesOf(requireApp(runtime.library, appId), desktop.settings);
        const call = (request: CallRequest) =>
          desktop.call(PANEL, { ...request, appId, callId: newId(), caller: { as: 'page' } });
        const { id, panel } = await panels.open(session, () =>
          runtime.openPanel(appId, panelId, { ...shown, settings, call }),
        );
        return { panel: id, frame: panel.frame };
      },
    ),
    'panels.send': call(
      z.strictObject({ panel: Id, text: z.string().max(MAX_MESSAGE) }),
      ({ panel, text }, { session }) => panels.get(session, panel).receive(text),
    ),
    'panels.change': call(
      z.strictObject({
        panel: Id,
        theme: z.exactOptional(Theme),
        locale: z.exactOptional(Locale),
        view: z.exactOptional(View),
        mode: z.exactOptional(z.enum(['inline', 'fullscreen'])),
      }),
      ({ panel, ...changes }, { session }) => panels.get(session, panel).change(changes),
    ),
    'panels.close': call(
      z.strictObject({ panel: Id, reason: z.string().max(200) }),
      async ({ panel, reason }, { session }) => {
        // A page can only report `closed` or `gone`; other reasons are set by the runtime.
        await panels.get(session, panel).close(reason === 'closed' ? 'closed' : 'gone');
      },
    ),
    /** The user's choice for a panel that sent a `pick-files` event; an empty list if nothing was chosen. */
    'panels.picked': call(
      z.strictObject({ pickId: Id, uploads: z.array(Id).max(MAX_PICKED) }),
      ({ pickId, uploads: ids }, { session }) => {
        const files = ids.map((id) => uploads.get(session, id));
        if (!picks.picked(pickId, files)) throw notFound('The panel is no longer waiting for files.');
      },
    ),
  };
}
