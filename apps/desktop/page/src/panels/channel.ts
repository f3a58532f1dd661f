import type { CloseReason, PanelConnection } from '@svc/runtime/panel-host';
import type { DesktopEvent } from '../../../src/wire/events.ts';
import type { Desk } from '../wire/ask.ts';
import type { Live } from '../wire/live.ts';

type Listener = Parameters<PanelConnection['listen']>[0];

/**
 * Carries the messages of one open panel over the desktop's wire: each is sent once the one before has arrived, so that they
 * stay in order.
 * @param panel id of `panels.open`
 * @returns the connection, and what ends the hearing
 */
export function connectPanel(desk: Pick<Desk, 'ask'>, live: Pick<Live, 'hear'>, panel: string) {
  let listener: Listener | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let isOver = false;

  function over(reason: CloseReason): void {
    if (isOver) return;
    isOver = true;
    listener?.closed(reason);
  }
  function hear(event: DesktopEvent): void {
    if (event.type === 'panel-message' && event.panel === panel) listener?.message(event.text);
    if (event.type === 'panel-closed' && event.panel === panel) over(event.reason);
  }
  const deaf = live.hear(hear);
  const connection: PanelConnection = {
    send(text) {
      // A message that is lost would leave its panel waiting for good.
      last = last
        .then(() => (isOver ? undefined : desk.ask('panels.send', { panel, text })))
        .catch(() => over('gone'));
    },
    listen(to) {
      listener = to;
    },
    close(reason) {
      isOver = true;
      void desk.ask('panels.close', { panel, reason }).catch(() => {});
    },
  };
  return { connection, end: deaf };
}
