// Types for the browser APIs in use. The other half of the package runs in Node, so its types must not depend on
// the DOM library.

/** A `MessagePort`. */
export type Port = {
  postMessage(text: string): void;
  close(): void;
  onmessage: ((event: { data: unknown }) => void) | null;
  addEventListener(type: 'close', listener: () => void): void;
};

/** An `iframe` element. */
export type FrameElement = {
  setAttribute(name: string, value: string): void;
  remove(): void;
  addEventListener(type: 'load', listener: () => void): void;
  readonly contentWindow: {
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
