import type { FileHandle, HostContext, InitializeResult, ToolResult } from '../bridge/messages.ts';

// One file without runtime imports, so that a panel without a build step can include it.

/** The status of an account of the app. `expiresAt` is ISO 8601, or null. */
export type Account = { id: string; label: string; connected: boolean; expiresAt: string | null };

/** A media operation, as in `prepare` of the manifest. */
export type MediaOperation = { op: 'resize' | 'crop' | 'convert' | 'compress' | 'trim' } & Record<
  string,
  unknown
>;

/** An error of the client. `code` is `not-connected`, `declined`, `not-granted`, … or `rpc` with a JSON-RPC code in `rpcCode`. */
export class PanelError extends Error {
  readonly code: string;
  readonly rpcCode: number;

  constructor(error: { code: number; message: string; data?: { code?: string } }) {
    super(error.message);
    this.name = 'PanelError';
    this.code = error.data?.code ?? 'rpc';
    this.rpcCode = error.code;
  }
}

/** Listeners of a panel. The client waits for the promise of `teardown`. */
export type PanelListeners = {
  /** The theme, locale or view changed. */
  context?(context: HostContext): void;
  /** Accounts were connected or disconnected: list them again. */
  accounts?(): void;
  /** A chat or an agent called a tool of the app: reload data that it may have changed. */
  toolCalled?(tool: string): void;
  /** The panel is being closed: it has a second to save its work. */
  teardown?(reason: string): void | Promise<void>;
};

/** The connection of a panel to its client. All methods reject with a `PanelError` when the client refuses. */
export type PanelHost = Pick<InitializeResult, 'hostInfo' | 'hostCapabilities'> & {
  readonly context: HostContext;
  /** Lists the accounts of the app. */
  listAccounts(): Promise<Account[]>;
  /** Asks the user to sign in; resolves when they have. */
  connectAccount(account: string): Promise<void>;
  /**
   * Returns a valid access token. Request it each time you need it, and do not store it. Rejects with `token-withheld` in browsers that
   * do not confine panels to the hosts of their app: check `hostCapabilities.accounts.tokens`, and call a tool there instead.
   */
  getToken(account: string): Promise<string>;
  /**
   * Calls a tool of the app. The client asks the user for approval if needed, and adds the token.
   * @param files ids of files of the panel, by argument
   */
  callTool(
    name: string,
    args?: Record<string, unknown>,
    files?: Record<string, readonly string[]>,
  ): Promise<ToolResult>;
  /** Lets the user pick files; returns an empty list when none is picked. Needs the grant `files:receive`. */
  pickFiles(wanted?: { accept?: string[]; multiple?: boolean }): Promise<FileHandle[]>;
  /** Releases a file; its URL stops working. */
  releaseFile(file: string): Promise<void>;
  /** Converts a file to a new one. Needs the grant `host:media`. */
  runMedia(file: string, request: MediaOperation): Promise<FileHandle>;
};

type Waiting = { resolve(value: never): void; reject(error: unknown): void };

type Message = {
  id?: string | number;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { code: number; message: string };
};

type Port = {
  postMessage(text: string): void;
  onmessage: ((event: { data: string }) => void) | null;
};

type PanelWindow = {
  parent: { postMessage(message: unknown, origin: string): void };
  addEventListener(type: 'message', listener: (event: PortEvent) => void): void;
  removeEventListener(type: 'message', listener: (event: PortEvent) => void): void;
};
type PortEvent = { source: unknown; data: unknown; ports: readonly Port[] };

/** Requests the port from the parent window. Ports from other windows are ignored. */
function askForPort(): Promise<Port> {
  const view = globalThis as unknown as PanelWindow;
  return new Promise((resolve) => {
    const onMessage = ({ source, data, ports }: PortEvent): void => {
      const [port] = ports;
      if (source !== view.parent || !port) return;
      if ((data as Message | null)?.method !== 'ui/notifications/port') return;
      view.removeEventListener('message', onMessage);
      resolve(port);
    };
    view.addEventListener('message', onMessage);
    // To any origin: the message has no secret, and the source of the reply is checked.
    view.parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/port-request' }, '*');
  });
}

/** JSON-RPC 2.0 over a port. */
function createCalls(port: Port, onRequest: (message: Message) => void) {
  const waiting = new Map<string | number, Waiting>();
  let lastId = 0;
  const send = (message: Message): void => port.postMessage(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const settle = ({ id = '', result, error }: Message): void => {
    const call = waiting.get(id);
    waiting.delete(id);
    if (error) call?.reject(new PanelError(error));
    else call?.resolve(result as never);
  };
  port.onmessage = ({ data }) => {
    const message = JSON.parse(data) as Message;
    if (message.method === undefined) settle(message);
    else onRequest(message);
  };
  return {
    send,
    call<T>(method: string, params: Record<string, unknown> = {}): Promise<T> {
      lastId += 1;
      const id = lastId;
      return new Promise<T>((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        send({ id, method, params });
      });
    },
  };
}

/** Connects the panel to the client that shows it. Call it once, at page load. */
export async function connectPanel(listeners: PanelListeners = {}): Promise<PanelHost> {
  const port = await askForPort();
  let context: HostContext;
  const { call, send } = createCalls(port, ({ id, method, params = {} }) => {
    if (method === 'ui/notifications/host-context-changed') {
      context = { ...context, ...params };
      listeners.context?.(context);
    }
    if (method === 'notifications/accounts/list_changed') listeners.accounts?.();
    if (method === 'notifications/tools/called') listeners.toolCalled?.(String(params.tool));
    if (method === 'ui/resource-teardown' && id !== undefined) {
      Promise.resolve(listeners.teardown?.(String(params.reason))).finally(() => send({ id, result: {} }));
    }
  });
  const { hostInfo, hostCapabilities, hostContext } = await call<InitializeResult>('ui/initialize', {
    protocolVersion: '2026-01-26',
    appInfo: { name: 'panel', version: '1' },
    appCapabilities: {},
  });
  context = hostContext;
  send({ method: 'ui/notifications/initialized' });
  return {
    hostInfo,
    hostCapabilities,
    get context() {
      return context;
    },
    listAccounts: async () => (await call<{ accounts: Account[] }>('accounts/list')).accounts,
    connectAccount: (account) => call('accounts/connect', { account }),
    getToken: async (account) =>
      (await call<{ accessToken: string }>('accounts/token', { account })).accessToken,
    callTool: (name, args = {}, files = {}) => call('tools/call', { name, arguments: args, files }),
    pickFiles: async (wanted = {}) => (await call<{ files: FileHandle[] }>('files/pick', wanted)).files,
    releaseFile: (file) => call('files/release', { file }),
    runMedia: async (file, request) =>
      (await call<{ file: FileHandle }>('media/run', { file, request })).file,
  };
}
