import { guarded, inBackground } from '@svc/contracts/guarded';
import {
  type CloseReason,
  type ContextChanges,
  type OpenPanel,
  type PanelFile,
  type PickFiles,
  RuntimeError,
} from '@svc/runtime';
import { orAborted } from '@svc/runtime/parts';
import type { PageEvents } from '../events/page-events.ts';
import type { Session } from '../sessions/sessions.ts';

/** Most open panels of one session: a reloaded page leaves its old panels open. */
const MAX_SHOWN = 16;

type Shown = { panel: OpenPanel; session: Session };

type Deps = {
  events: PageEvents;
  newId(): string;
  onFault(error: unknown): void;
};

/** @param deps `newId` creates unguessable ids */
export function createPanelRegistry({ events, newId, onFault }: Deps) {
  const shown = new Map<string, Shown>();

  const closeEach = (panels: readonly Shown[], reason: CloseReason): void => {
    for (const { panel } of panels) inBackground(panel.close(reason), onFault);
  };
  const of = (session: Session): Shown[] => [...shown.values()].filter((entry) => entry.session === session);

  function attach(id: string, { panel, session }: Shown): void {
    const close = guarded(() => panel.close('gone'), onFault);
    session.ended.addEventListener('abort', close, { once: true });
    panel.listen({
      message: (text) => events.emit({ type: 'panel-message', panel: id, text }, session.id),
      shown: (as) => events.emit({ type: 'panel-view', panel: id, as }, session.id),
      closed(reason) {
        shown.delete(id);
        session.ended.removeEventListener('abort', close);
        events.emit({ type: 'panel-closed', panel: id, reason }, session.id);
      },
    });
    if (session.ended.aborted) close();
  }

  return {
    /** @param opening opens it in the runtime */
    async open(
      session: Session,
      opening: () => Promise<OpenPanel>,
    ): Promise<{ id: string; panel: OpenPanel }> {
      const before = of(session);
      closeEach(before.slice(0, Math.max(0, before.length - MAX_SHOWN + 1)), 'gone');
      const panel = await opening();
      const id = newId();
      shown.set(id, { panel, session });
      attach(id, { panel, session });
      return { id, panel };
    },
    /** @throws RuntimeError `unknown-panel` */
    get(session: Session, id: string) {
      const entry = shown.get(id);
      if (entry?.session !== session)
        throw new RuntimeError('unknown-panel', 'This panel is no longer open.');
      return entry.panel;
    },
    closeAll: (appId: string, reason: CloseReason) =>
      closeEach(
        [...shown.values()].filter(({ panel }) => panel.appId === appId),
        reason,
      ),
    changeAll(appId: string, changes: ContextChanges) {
      for (const { panel } of shown.values()) if (panel.appId === appId) panel.change(changes);
    },
    /** Closes the panels of a session whose page was closed. */
    leave: (session: Session) => closeEach(of(session), 'gone'),
  };
}

/** The open panels of pages. Each belongs to the session that opened it. */
export type PanelRegistry = ReturnType<typeof createPanelRegistry>;

/** @param newId creates unguessable ids */
export function createFilePicker({ events, newId }: { events: PageEvents; newId(): string }) {
  const waiting = new Map<string, (files: readonly PanelFile[]) => void>();
  return {
    pick(...[{ appId }, { accept, multiple }, signal]: Parameters<PickFiles>): ReturnType<PickFiles> {
      signal.throwIfAborted();
      const pickId = newId();
      const { promise, resolve } = Promise.withResolvers<readonly PanelFile[]>();
      waiting.set(pickId, resolve);
      events.emit({ type: 'pick-files', pickId, appId, accept, multiple });
      return orAborted(signal, promise).finally(() => {
        waiting.delete(pickId);
        events.emit({ type: 'pick-gone', pickId });
      });
    },
    /** Delivers the chosen files. @returns whether the panel was still waiting */
    picked(pickId: string, files: readonly PanelFile[]) {
      waiting.get(pickId)?.(files);
      return waiting.delete(pickId);
    },
  };
}

/** File requests of panels that wait for the user's choice. */
export type FilePicker = ReturnType<typeof createFilePicker>;
