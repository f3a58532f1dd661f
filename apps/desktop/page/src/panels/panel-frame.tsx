import type { PanelView } from '@svc/runtime';
import { type CloseReason, mountPanel } from '@svc/runtime/panel-host';
import { visible } from '@svc/text';
import { Button, ErrorMessage } from '@svc/ui';
import { useEffect, useRef, useState } from 'react';
import type { DesktopCalls } from '../../../src/wire/calls.ts';
import { useTheme } from '../settings/theme.ts';
import type { DesktopClient } from '../wire/desktop-client.ts';
import type { Live } from '../wire/live.ts';
import { useDesktopClient, useLive } from '../wire/use-desktop.ts';
import { connectPanel } from './channel.ts';

const REASONS = {
  closed: 'The panel was closed.',
  gone: 'The panel is no longer available.',
  navigated: 'Closed: the panel tried to leave its page.',
  'message-too-large': 'Closed: the panel sent a message that is too large.',
  flooded: 'Closed: the panel sent too many messages.',
  'took-focus': 'Closed: the panel took the keyboard while you were typing elsewhere.',
  yanked: 'Closed: this version was yanked.',
  'switched-off': 'Closed: the app was switched off.',
  updated: 'Closed: the app was updated.',
  removed: 'Closed: the app was removed.',
};

export type View = { id: string; label: string };

type Mounting = {
  desktop: DesktopClient;
  live: Live;
  parent: HTMLElement;
  opening: Promise<DesktopCalls['panels.open']['out']>;
  /** Called with the id of the panel once it is open. */
  opened(panel: string): void;
  /** Called when the page asks to be shown in another way. @param pressedAt when the user's last press in it was seen, in milliseconds */
  viewed?: (as: PanelView, pressedAt: number) => void;
  closed(reason: CloseReason): void;
  failed(error: Error): void;
};

/** Mounts a panel once it is open. @returns a function that removes it, also while it is opening */
export function mountOpening(mounting: Mounting): () => void {
  const { desktop, live, parent, opening, opened, viewed, closed, failed } = mounting;
  let isRemoved = false;
  let unmount = () => {};
  opening.then(
    ({ panel, frame }) => {
      let pressedAt = Number.NEGATIVE_INFINITY;
      // The focus is in the page while the user presses in it, and not in a field of svc.
      const pressed = () => {
        if (parent.contains(document.activeElement)) pressedAt = performance.now();
      };
      const asked = viewed && ((as: PanelView) => viewed(as, pressedAt));
      const { connection, end } = connectPanel(desktop, live, panel, asked);
      if (isRemoved) {
        end();
        return connection.close('closed');
      }
      const host = mountPanel({
        parent: parent as Parameters<typeof mountPanel>[0]['parent'],
        frame,
        connection,
        now: () => performance.now(),
        pressed,
        closed: (reason) => {
          end();
          if (!isRemoved) closed(reason);
        },
      });
      unmount = host.close;
      opened(panel);
    },
    (error: Error) => {
      if (!isRemoved) failed(error);
    },
  );
  return () => {
    isRemoved = true;
    unmount();
  };
}

/** State of a panel; `removed` after it was closed by itself. */
export type PanelState =
  | { at: 'opening' | 'removed' }
  | { at: 'open'; panel: string }
  | { at: 'closed'; reason: CloseReason }
  | { at: 'failed'; error: Error };

/** What stands in place of a panel that is not open. */
export function InPlace({ state }: { state: PanelState }) {
  if (state.at === 'opening') return <p role="status">Opening…</p>;
  if (state.at === 'failed') return <ErrorMessage error={state.error} />;
  return state.at === 'closed' ? <p role="alert">{REASONS[state.reason]}</p> : null;
}

function Views({
  title,
  views,
  view,
  choose,
}: {
  title: string;
  views: readonly View[];
  view: string;
  choose(id: string): void;
}) {
  if (views.length === 0) return null;
  return (
    <fieldset className="cluster views" aria-label={`Views of ${title}`}>
      {views.map(({ id, label }) => (
        <Button key={id} label={visible(label)} aria-pressed={id === view} onClick={() => choose(id)} />
      ))}
    </fieldset>
  );
}

/** A panel of an app in its sandbox, open while the component is mounted. */
export function PanelFrame({
  appId,
  panelId,
  project,
  title,
  views,
  reopen,
}: {
  appId: string;
  panelId: string;
  project: string;
  title: string;
  views: readonly View[];
  reopen(): void;
}) {
  const desktop = useDesktopClient();
  const live = useLive();
  const theme = useTheme();
  const parent = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<PanelState>({ at: 'opening' });
  const [view, setView] = useState(views[0]?.id ?? '');
  // The initial values. Later changes are sent to the open panel.
  const start = useRef({ theme, view });

  useEffect(() => {
    if (!parent.current) return;
    const shown = { theme: start.current.theme, locale: navigator.language };
    const opening = {
      appId,
      panelId,
      project,
      ...shown,
      ...(start.current.view && { view: start.current.view }),
    };
    return mountOpening({
      ...{ desktop, live, parent: parent.current, opening: desktop.request('panels.open', opening) },
      opened: (panel) => setState({ at: 'open', panel }),
      closed: (reason) => setState({ at: 'closed', reason }),
      failed: (error) => setState({ at: 'failed', error }),
    });
  }, [desktop, live, appId, panelId, project]);

  const panel = state.at === 'open' ? state.panel : null;
  useEffect(() => {
    if (panel !== null)
      void desktop.request('panels.change', { panel, theme, ...(view && { view }) }).catch(() => {});
  }, [desktop, panel, theme, view]);

  return (
    <>
      <Views title={title} views={views} view={view} choose={setView} />
      <InPlace state={state} />
      {state.at === 'closed' || state.at === 'failed' ? <Button label="Open again" onClick={reopen} /> : null}
      <div className="panel-place" ref={parent} hidden={state.at === 'closed' || state.at === 'failed'} />
    </>
  );
}
