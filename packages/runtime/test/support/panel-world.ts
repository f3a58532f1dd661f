import type {
  CallRequest,
  CallResult,
  Card,
  CloseReason,
  Events,
  InstalledApp,
  OpenPanel,
  PanelFile,
  RuntimeEvent,
} from '../../src/index.ts';
import { RuntimeError } from '../../src/index.ts';
import { createEvents, createPanels, listenForPanels, type Panels } from '../../src/parts.ts';
import { startClientPage } from './client-page.ts';
import { realSystem } from './real-system.ts';

/** Fake accounts, with tokens that are numbered by request. */
function createAccounts(connected: Set<string>, tokens: string[], events: Events) {
  return {
    list: async ({ appId }: InstalledApp) =>
      ['notes', 'hidden'].map((id) => ({
        id,
        label: 'Notes account',
        connected: connected.has(`${appId}/${id}`),
        expiresAt: null,
        secret: 'never shown',
      })),
    underWay: () => null,
    signInDetails: async () => ({ host: 'auth.example.test', scopes: [] }),
    connect: async (app: InstalledApp, id: string) => {
      connected.add(`${app.appId}/${id}`);
      events.emit({ type: 'account-connected', appId: app.appId, accountId: id });
    },
    token: async (app: InstalledApp, id: string, use: { host: string; tool: string }) => {
      if (!connected.has(`${app.appId}/${id}`)) return null;
      tokens.push(`${app.appId}/${id} ${use.host} ${use.tool}`);
      return `token-of-${app.appId}-${tokens.length}`;
    },
  };
}

type Call = (app: InstalledApp, request: CallRequest) => Promise<CallResult>;

/** The result of a tool with a text and structured content. */
export const toolAnswer = (text: string, structured: CallResult['structured'] = null): CallResult => ({
  isError: false,
  parts: [{ type: 'text', text }],
  structured,
  files: [],
});

/** Differences from a client in a current browser. */
export type WorldOptions = {
  /** Removes the header of the allowlist, as if the browser did not support it. */
  withoutAllowlist?: boolean;
  tokens?: 'confined' | 'always';
};

/** Runs a function of the client's page, by its name. */
export type InPage = (name: string, ...args: unknown[]) => Promise<unknown>;

/**
 * A client without its browser: its page, ready to be loaded, and the panels of the runtime.
 */
export async function openPanelWorld({ withoutAllowlist = false, tokens: given }: WorldOptions = {}) {
  const client = await startClientPage();
  const connected = new Set<string>();
  const tokens: string[] = [];
  const asked: Card[] = [];
  const called: CallRequest[] = [];
  const faults: unknown[] = [];
  const told: RuntimeEvent[] = [];
  const bundles = new Map<string, ReadonlyMap<string, Uint8Array>>();
  const open = new Map<string, OpenPanel>();
  const events = createEvents((fault) => faults.push(fault));
  events.subscribe((event) => told.push(event));
  let files: PanelFile[] = [];
  let answer: Call = async () => toolAnswer('done');

  let panels: Panels | undefined;
  const listener = await listenForPanels(
    (request) => {
      const response = panels?.serve(request) ?? new Response(null, { status: 503 });
      if (withoutAllowlist) response.headers.delete('connection-allowlist');
      return response;
    },
    (fault) => faults.push(fault),
  );
  panels = createPanels({
    system: realSystem,
    events,
    accounts: createAccounts(connected, tokens, events),
    client: {
      name: 'client',
      version: '1.0.0',
      origin: client.origin,
      ask: async (card) => {
        asked.push(card);
        return { accepted: true };
      },
      ...(given && { tokens: given }),
      pickFiles: async () => files,
      prepareMedia: async (file) => ({ ...file, name: `small-${file.name}` }),
    },
    call: (app, request) => {
      called.push(request);
      return answer(app, request);
    },
    bundleFiles: async (app) => {
      const bundle = bundles.get(app.appId);
      if (!bundle) throw new RuntimeError('not-installed');
      return bundle;
    },
    mayRun: () => true,
    originOf: listener.originOf,
    onFault: (fault) => faults.push(fault),
  });
  const { open: openPanel, serve } = panels;

  return {
    serve,
    client,
    events,
    told,
    tokens,
    asked,
    called,
    faults,
    give: (...picked: PanelFile[]) => {
      files = picked;
    },
    /** Sets the answers of tools from now on. */
    answerWith: (by: Call) => {
      answer = by;
    },
    /** Functions that the client's page calls. */
    bindings: {
      toRuntime: (id: string, text: string) => open.get(id)?.receive(text),
      closedByPage: (id: string, reason: CloseReason) => open.get(id)?.close(reason),
    },
    /** Opens a panel of an app; `show` of the result shows it in the client's page. */
    async open(app: InstalledApp, bundle: ReadonlyMap<string, Uint8Array>, inPage: InPage) {
      bundles.set(app.appId, bundle);
      const panel = await openPanel(app, 'main', {
        theme: 'dark',
        locale: 'en-GB',
        project: 'project-1',
        settings: { columns: '2' },
      });
      const id = panel.frame.address;
      const [secret = ''] = /\/[\w-]{43}\//.exec(id) ?? [];
      open.set(id, panel);
      const { promise: reason, resolve: closed } = Promise.withResolvers<CloseReason>();
      panel.listen({
        message: (text) => void inPage('tellPanel', id, text),
        closed: (why) => {
          void inPage('runtimeClosed', id, why);
          closed(why);
        },
      });
      /** `page` is the end of the URL of the panel's page. */
      return {
        panel,
        reason,
        page: `${secret}ui/index.html`,
        show: () => inPage('showPanel', id, panel.frame),
      };
    },
    async close() {
      await panels?.end();
      await listener.close();
      await client.stop();
    },
  };
}
