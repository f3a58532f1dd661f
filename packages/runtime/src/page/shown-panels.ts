import { z } from 'zod';
import type { OpenPanel } from '../panels/open-panel.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { Runtime } from '../runtime.ts';
import type { PageEvent, ShownPanel } from './wire.ts';

/** Maximum number of panels of one page at the same time. */
const MAX_SHOWN = 16;

const MAX_MESSAGE = 4 * 1024 * 1024;

const Id = z.string().min(1).max(200);
const Theme = z.enum(['light', 'dark']);
const Locale = z.string().min(2).max(35);

const Opening = z.strictObject({
  appId: Id,
  panelId: Id,
  project: Id,
  theme: Theme,
  locale: Locale,
  view: z.exactOptional(Id),
});
const Message = z.strictObject({ panel: Id, text: z.string().max(MAX_MESSAGE) });
const Changes = z.strictObject({
  panel: Id,
  theme: z.exactOptional(Theme),
  locale: z.exactOptional(Locale),
  view: z.exactOptional(Id),
});
const Closing = z.strictObject({ panel: Id, reason: z.string().max(200) });

type Deps = {
  runtime(): Pick<Runtime, 'openPanel'>;
  newId(): string;
  emit(event: PageEvent, session: string): void;
  onFault(error: unknown): void;
};

/** The methods for panels. Each panel belongs to the page that opened it. */
export function createShownPanels({ runtime, newId, emit, onFault }: Deps) {
  const shown = new Map<string, { panel: OpenPanel; session: string }>();

  function panelOf(session: string, id: string): OpenPanel {
    const entry = shown.get(id);
    if (entry?.session !== session) throw new RuntimeError('unknown-panel', 'This panel is not open.');
    return entry.panel;
  }

  async function open(session: string, params: unknown): Promise<ShownPanel> {
    const { appId, panelId, ...request } = Opening.parse(params);
    const own = [...shown.values()].filter((entry) => entry.session === session);
    if (own.length >= MAX_SHOWN) throw new RuntimeError('too-many', 'This page shows too many panels.');
    const panel = await runtime().openPanel(appId, panelId, request);
    const id = newId();
    shown.set(id, { panel, session });
    panel.listen({
      message: (text) => emit({ type: 'panel-message', panel: id, text }, session),
      closed(reason) {
        shown.delete(id);
        emit({ type: 'panel-closed', panel: id, reason }, session);
      },
    });
    return { id, frame: panel.frame };
  }

  return {
    methods: {
      'svc.panels.open': open,
      'svc.panels.send'(session: string, params: unknown) {
        const { panel, text } = Message.parse(params);
        panelOf(session, panel).receive(text);
      },
      'svc.panels.change'(session: string, params: unknown) {
        const { panel, ...changes } = Changes.parse(params);
        panelOf(session, panel).change(changes);
      },
      async 'svc.panels.close'(session: string, params: unknown) {
        const { panel, reason } = Closing.parse(params);
        await panelOf(session, panel).close(reason === 'closed' ? 'closed' : 'gone');
      },
    },
    /** Closes the panels of a page that has disconnected. */
    leave(session: string): void {
      for (const entry of shown.values())
        if (entry.session === session) void entry.panel.close('gone').catch(onFault);
    },
  };
}
