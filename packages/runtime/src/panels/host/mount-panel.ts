import { createTokenBucket } from '../../platform/token-bucket.ts';
import {
  BRIDGE_LIMITS,
  type CloseReason,
  FRAME_ENDED,
  FRAME_PRESSED,
  FRAME_READY,
  PORT_GRANT,
} from '../bridge/messages.ts';
import type { HostElement, HostWindow, Port, WindowMessage } from './dom.ts';
import { createFrame, guardFocus, STRAY } from './frame-element.ts';

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
  /** Called when the panel sends a message within a few seconds after the user pressed something in it. */
  pressed?(): void;
  /** Called once when the panel is removed from the page, for any reason. */
  closed(reason: CloseReason): void;
};

const reasonOf = (data: unknown): CloseReason => {
  const reason = (data as { params?: { reason?: unknown } }).params?.reason;
  return reason === 'flooded' || reason === 'message-too-large' ? reason : 'navigated';
};

const methodOf = (data: unknown): unknown =>
  typeof data === 'object' && data !== null && 'method' in data ? data.method : undefined;

/**
 * Shows an open panel in the client's page, and forwards its messages. The sender is verified by window and origin, and then by the
 * channel. A panel that navigates or exceeds a limit is removed. What the user types into the page stays there.
 * @returns removes the panel and notifies the runtime
 */
export function mountPanel(options: MountOptions): { close(): void } {
  const { parent, frame, connection } = options;
  const view = parent.ownerDocument.defaultView as HostWindow;
  const element = createFrame(options);
  const { port1: port, port2: given } = new MessageChannel() as unknown as { port1: Port; port2: Port };
  let stopGuard = () => {};
  const bucket = createTokenBucket(BRIDGE_LIMITS.messages, options.now);
  const stray = createTokenBucket(STRAY, options.now);
  let handedOver = false;
  let loads = 0;
  let open = true;

  function unmount(reason: CloseReason, from: 'page' | 'runtime'): void {
    if (!open) return;
    open = false;
    view.removeEventListener('message', onMessage);
    stopGuard();
    port.close();
    element.remove();
    if (from === 'page') connection.close(reason);
    options.closed(reason);
  }

  // `data` is read last: the browser copies a message when it is read.
  function onMessage(event: WindowMessage): void {
    const { source, origin } = event;
    const frames = element.contentWindow;
    const isOfPanel = frames !== null && frames.length > 0 && source === frames[0];
    if (isOfPanel && !stray.take()) unmount('flooded', 'page');
    if (source !== frames || origin !== frame.origin) return;
    const { data } = event;
    if (methodOf(data) === FRAME_ENDED) unmount(reasonOf(data), 'page');
    if (methodOf(data) === FRAME_PRESSED) options.pressed?.();
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
  stopGuard = guardFocus(element, {
    parent,
    now: options.now,
    exceeded: () => unmount('took-focus', 'page'),
  });
  return { close: () => unmount('gone', 'page') };
}
