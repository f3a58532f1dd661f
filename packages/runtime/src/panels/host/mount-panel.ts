import { BRIDGE_LIMITS, type CloseReason, FRAME_ENDED, FRAME_READY, PORT_GRANT } from '../bridge/messages.ts';
import { createTokenBucket } from '../bridge/token-bucket.ts';
import type { FrameElement, HostElement, HostWindow, Port, WindowMessage } from './dom.ts';

/** The connection of the client's page to the runtime for a panel, in one process or over a socket. */
export type PanelConnection = {
  /** Sends a message of the panel to the runtime's `receive`. */
  send(text: string): void;
  /** Sets the handlers of messages of the runtime, and of its closing the panel. */
  listen(to: { message(text: string): void; closed(reason: CloseReason): void }): void;
  /** Notifies the runtime that the page removed the panel. */
  close(reason: CloseReason): void;
};

export type MountOptions = {
  /** The parent element of the panel: an `HTMLElement`. */
  parent: HostElement;
  /** `frame` of the open panel. */
  frame: { address: string; origin: string; sandbox: string; title: string };
  connection: PanelConnection;
  /** Monotonic clock in milliseconds: `() => performance.now()`. */
  now(): number;
  /** Called once when the panel is removed from the page, for any reason. */
  closed(reason: CloseReason): void;
};

function createFrame({ parent, frame }: MountOptions): FrameElement {
  const element = parent.ownerDocument.createElement('iframe') as FrameElement;
  element.setAttribute('sandbox', frame.sandbox);
  element.setAttribute('allow', '');
  element.setAttribute('referrerpolicy', 'no-referrer');
  element.setAttribute('title', frame.title);
  element.setAttribute('src', frame.address);
  return element;
}

const methodOf = (data: unknown): unknown =>
  typeof data === 'object' && data !== null && 'method' in data ? data.method : undefined;

/**
 * Shows an open panel in the client's page, and forwards its messages. The sender is verified by window and origin, and then by the
 * channel. A panel that navigates or exceeds a limit is removed.
 * @returns removes the panel and notifies the runtime
 */
export function mountPanel(options: MountOptions): { close(): void } {
  const { parent, frame, connection } = options;
  const view = parent.ownerDocument.defaultView as HostWindow;
  const element = createFrame(options);
  const { port1: port, port2: given } = new MessageChannel() as unknown as { port1: Port; port2: Port };
  const bucket = createTokenBucket(BRIDGE_LIMITS.messages, options.now);
  let handedOver = false;
  let loads = 0;
  let open = true;

  function unmount(reason: CloseReason, from: 'page' | 'runtime'): void {
    if (!open) return;
    open = false;
    view.removeEventListener('message', onMessage);
    port.close();
    element.remove();
    if (from === 'page') connection.close(reason);
    options.closed(reason);
  }

  function onMessage({ source, origin, data }: WindowMessage): void {
    if (source !== element.contentWindow || origin !== frame.origin) return;
    if (methodOf(data) === FRAME_ENDED) unmount('navigated', 'page');
    if (methodOf(data) !== FRAME_READY || handedOver) return;
    handedOver = true;
    element.contentWindow?.postMessage({ jsonrpc: '2.0', method: PORT_GRANT }, frame.origin, [given]);
  }

  port.onmessage = ({ data }) => {
    if (typeof data !== 'string' || data.length > BRIDGE_LIMITS.messageChars) {
      unmount('message-too-large', 'page');
    } else if (!bucket.take()) unmount('flooded', 'page');
    else connection.send(data);
  };
  // The page at the other end is gone. In browsers without this event the frame page detects it by counting loads.
  port.addEventListener('close', () => unmount('navigated', 'page'));
  element.addEventListener('load', () => {
    loads += 1;
    if (loads > 1) unmount('navigated', 'page');
  });
  connection.listen({
    message: (text) => open && port.postMessage(text),
    closed: (reason) => unmount(reason, 'runtime'),
  });
  view.addEventListener('message', onMessage);
  parent.append(element as never);
  return { close: () => unmount('gone', 'page') };
}
