import type { CallRequest } from '@svc/runtime';
import { z } from 'zod';
import { notFound } from '../http/exchange.ts';
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

/** The panels of apps. */
export function panelCalls({ desktop, panels, picks, uploads, newId }: PageParts) {
  return {
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
        const call = (request: CallRequest) => desktop.call(PANEL, { ...request, appId, callId: newId() });
        const { id, panel } = await panels.open(session, appId, panelId, { ...shown, settings, call });
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
