import type { PanelView } from '@svc/runtime';
import type { CloseReason, PanelConnection } from '@svc/runtime/panel-host';
import type { DesktopEvent } from '../../../src/wire/events.ts';
import type { DesktopClient } from '../wire/desktop-client.ts';
import type { Live } from '../wire/live.ts';

type Listener = Parameters<PanelConnection['listen']>[0];

/**
 * Carries the messages of one open panel over the desktop's API. Each message is sent after the previous one has arrived, so that
 * they stay in order.
 * @param panel id from `panels.open`
 * @param viewed called when a page of a connector asks to be shown in another way
 * @returns the connection, and a function that stops listening
 */
export function connectPanel(
  desktop: Pick<DesktopClient, 'request'>,
  live: Pick<Live, 'listen'>,
  panel: string,
  viewed?: (as: PanelView) => void,
) {
  let listener: Listener | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  function onClosed(reason: CloseReason): void {
    if (isClosed) return;
    isClosed = true;
    listener?.closed(reason);
  }
  function onEvent(event: DesktopEvent): void {
    if (event.type === 'panel-message' && event.panel === panel) listener?.message(event.text);
    if (event.type === 'panel-view' && event.panel === panel) viewed?.(event.as);
    if (event.type === 'panel-closed' && event.panel === panel) onClosed(event.reason);
  }
  const end = live.listen(onEvent);
  const connection: PanelConnection = {
    send(text) {
      // After a lost message the panel would wait forever, so it is closed.
      last = last
        .then(() => (isClosed ? undefined : desktop.request('panels.send', { panel, text })))
        .catch(() => onClosed('gone'));
    },
    listen(added) {
      listener = added;
    },
    close(reason) {
      isClosed = true;
      void desktop.request('panels.close', { panel, reason }).catch(() => {});
    },
  };
  return { connection, end };
}
