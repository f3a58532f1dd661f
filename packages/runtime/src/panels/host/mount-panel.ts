import { BRIDGE_LIMITS, type CloseReason, FRAME_ENDED, FRAME_READY, PORT_GRANT } from '../bridge/messages.ts';
import { createTokenBucket } from '../bridge/token-bucket.ts';
import type { FrameElement, HostElement, HostWindow, Port, WindowMessage } from './dom.ts';

/** What the client's page has of the runtime for one panel. The client carries it: in one process, or over a socket. */
export type PanelConnection = {
  /** Hands a message of the panel to the runtime's `receive`. */
  send(text: string): void;
  /** Says where messages of the runtime's `listen` go, and who is told that it closed the panel. */
  listen(to: { message(text: string): void; closed(reason: CloseReason): void }): void;
  /** Tells the runtime that the panel is gone from the page, so that it closes it too. */
  close(reason: CloseReason): void;
};

export type MountOptions = {
  /** Where in the client's page the panel is shown. Anything with the shape of an `HTMLElement`. */
  parent: HostElement;
  /** `frame` of the open panel. */
  frame: { address: string; origin: string; sandbox: string; title: string };
  connection: PanelConnection;
  /** Milliseconds that never go back: `() => performance.now()`. */
  now(): number;
  /** Told once, when the panel is gone from the page, no matter what ended it. */
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
 * Shows an open panel in the client's page, and carries its messages. Who speaks is known by the window and origin a message
 * comes from, and after that by the channel alone. A panel that leaves its page, or sends more than it may, is taken away.
 * @returns what takes the panel away; the runtime is told
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
  // The page that held the other end is gone. Browsers that do not tell leave it to the frame page, which counts pages.
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
