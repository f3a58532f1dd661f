// Types for the browser APIs in use. The other half of the package runs in Node, so its types must not depend on
// the DOM library.

/** A `MessagePort`. */
export type Port = {
  postMessage(text: string): void;
  close(): void;
  onmessage: ((event: { data: unknown }) => void) | null;
  addEventListener(type: 'close', listener: () => void): void;
};

/** An element that may have the focus. */
export type FocusElement = {
  readonly isConnected: boolean;
  matches(selector: string): boolean;
  focus(): void;
};

/** The `Document` of the client's page. */
export type HostDocument = {
  readonly activeElement: FocusElement | null;
  addEventListener(
    type: 'focusin' | 'focusout',
    listener: (event: { readonly target: unknown }) => void,
  ): void;
  removeEventListener(
    type: 'focusin' | 'focusout',
    listener: (event: { readonly target: unknown }) => void,
  ): void;
};

/** An `iframe` element. */
export type FrameElement = FocusElement & {
  tabIndex: number;
  readonly style: { pointerEvents: string };
  setAttribute(name: string, value: string): void;
  remove(): void;
  addEventListener(type: 'load', listener: () => void): void;
  readonly contentWindow: {
    /** The windows of its frames, also across origins. An index that does not exist throws there. */
    readonly [index: number]: unknown;
    readonly length: number;
    postMessage(message: unknown, origin: string, ports: Port[]): void;
  } | null;
};

/** A `message` event of a window. */
export type WindowMessage = { readonly source: unknown; readonly origin: string; readonly data: unknown };

/** A `Window`. */
export type HostWindow = {
  addEventListener(type: 'message', listener: (event: WindowMessage) => void): void;
  removeEventListener(type: 'message', listener: (event: WindowMessage) => void): void;
};

/** An element of the client's page. */
export type HostElement = {
  readonly ownerDocument: { createElement(name: 'iframe'): unknown; readonly defaultView: unknown };
  append(child: never): void;
};
