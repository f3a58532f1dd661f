import { createHash } from 'node:crypto';
import type { Panel } from '@svc/contracts';
import { DEFAULT_PANEL_ENTRY } from '@svc/contracts/vocabulary';
import type { CallRequest } from '../calls/call-tool.ts';
import type { AppTool } from '../calls/known-tools.ts';
import { pageOfTool } from '../calls/known-tools.ts';
import type { ToolCaller } from '../calls/may-use.ts';
import type { CallResult } from '../calls/read-result.ts';
import { type CardLimit, createCardLimit, limitedAsk } from '../cards/card-limit.ts';
import type { Events, RuntimeEvent } from '../events/events.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import { developerFoldersOnly, type LoopbackOf } from '../library/loopback.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import type { CloseReason, HostContext } from './bridge/messages.ts';
import { connectorPage, type ForeignPage, foreignPage, type PageRequest } from './connector-page.ts';
import { typeOfPath } from './content-types.ts';
import { createEngineProbe } from './engine-probe.ts';
import { createHandedFiles } from './handed-files.ts';
import {
  bundlePanel,
  createOpenPanel,
  type OpenPanel,
  type PanelControl,
  type PanelKind,
} from './open-panel.ts';
import { pageSources } from './policy.ts';
import type { PanelAccounts, PanelCall, PanelClient } from './ports.ts';
import { type ServedPanel, servePanel } from './serve-panel.ts';

/** Path at which the page of a connector is served. */
const PAGE_FILE = 'ui/index.html';

const PAGE: ToolCaller = { as: 'page' };

/** Maximum number of open panels. */
const MAX_OPEN = 64;

export type PanelsDeps = {
  system: Pick<System, 'now' | 'randomBytes' | 'sleep'>;
  events: Events;
  accounts: PanelAccounts;
  client: PanelClient;
  /** Returns the verified files of an installed bundle, by path. */
  bundleFiles(app: InstalledApp): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Whether an app is unchanged, on (in a project) and not yanked, including changes of other processes. */
  mayRun(app: InstalledApp, project?: string): boolean;
  /** Returns a unique origin for a name, at which `serve` responds: of `listenForPanels`, or of the client's protocol handler. */
  originOf(name: string): string;
  /** Calls a tool of an app for a panel; without it panels cannot call tools. */
  call?(app: InstalledApp, request: CallRequest): Promise<CallResult>;
  /** The known tools of a connector, and a page of its server; without it no pages of connectors are shown. */
  pages?: {
    tools(app: InstalledApp): readonly AppTool[];
    read(app: InstalledApp, uri: string, project: string): Promise<{ html: string; csp: unknown }>;
  };
  /** What apps may access on this machine. Default: only apps of developer folders. */
  loopbackOf?: LoopbackOf;
  onFault(error: unknown): void;
};

/** How a panel is shown. A panel in a project closes when its app can no longer be used there. */
export type Shown = {
  theme: HostContext['theme'];
  locale: string;
  view?: string;
  project?: string;
  /** The user's settings of the app, which the panel can read. */
  settings?: HostContext['settings'];
  /** A host of MCP Apps in another program shows the panel, as a document: it gets no tokens, and asks for no files. */
  isForeign?: boolean;
  /** Makes the panel's tool calls, for a client that logs calls. Default: the runtime. */
  call?(request: CallRequest): Promise<CallResult>;
};

/** The panels of installed apps. */
export type Panels = {
  /**
   * Opens a panel of an app.
   * @throws RuntimeError `unknown-panel`, `switched-off`, `yanked`, `too-many`
   */
  open(app: InstalledApp, panelId: string, shown: Shown): Promise<OpenPanel>;
  /**
   * Opens the page that the server of a connector gives a tool (MCP Apps).
   * @throws RuntimeError `unknown-panel`, `switched-off`, `too-many`, `not-offered`, and those of reading a resource
   */
  openPage(app: InstalledApp, request: PageRequest | ForeignPage): Promise<OpenPanel>;
  /** Whether a panel or page of an app is shown. */
  isShown(appId: string): boolean;
  /** Serves a browser request for an open panel. */
  serve(request: Request): Response;
  /** Closes all panels immediately, and opens no more. */
  end(): Promise<void>;
};

const CLOSING = new Map<RuntimeEvent['type'], CloseReason>([
  ['app-yanked', 'yanked'],
  ['app-removed', 'removed'],
  ['app-updated', 'updated'],
]);

const closeReasonOf = (event: RuntimeEvent): CloseReason | undefined =>
  event.type === 'app-switched' && !event.on ? 'switched-off' : CLOSING.get(event.type);

/** Whether an event concerns a panel. Switching an app off in one project does not affect its panels in others. */
const concerns = (event: RuntimeEvent, { appId }: OpenPanel, project: string | null): boolean =>
  'appId' in event &&
  event.appId === appId &&
  (event.type !== 'app-switched' || event.project === null || event.project === project);

const ACCOUNT_EVENTS = new Set<RuntimeEvent['type']>([
  'account-connected',
  'account-disconnected',
  'account-dropped',
]);

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

/**
 * The origin name of an app version, so that apps and versions never share browser storage. Store apps are identified by their bundle
 * hash.
 */
function originName({ appId, version, source }: InstalledApp): string {
  const from = source.kind === 'store' ? [source.store, source.sha256] : Object.values(source);
  return createHash('sha256')
    .update(JSON.stringify([appId, version, source.kind, ...from]))
    .digest('hex')
    .slice(0, 32);
}

const withoutFiles = ({ pickFiles: _, prepareMedia: __, ...client }: PanelClient): PanelClient => client;

function findPanel(app: InstalledApp, panelId: string): Panel {
  const panel = app.manifest.contributes.panels?.find(({ id }) => id === panelId);
  if (!panel) throw new RuntimeError('unknown-panel');
  return panel;
}

/** Has the cards of all that a panel requests counted. */
const limited = (kind: PanelKind, cardLimit: CardLimit): PanelKind => ({
  ...kind,
  methods: new Map(
    [...kind.methods].map(([name, { params, answer }]) => [
      name,
      { params, answer: (value, signal) => cardLimit.within(() => answer(value, signal)) },
    ]),
  ),
});

/** Creates the panels: opens, serves and closes them. A panel closes when its app can no longer be used. */
export function createPanels(given: PanelsDeps): Panels {
  const deps = { ...given, client: { ...given.client, ask: limitedAsk(given.client.ask) } };
  const open = new Map<string, { panel: OpenPanel; served: ServedPanel; project: string | null }>();
  const secretOf = (bytes: number): string => base64url(deps.system.randomBytes(bytes));
  /** The chat ids of panels. */
  const ownChats = new Set<string>();
  /** Apps for which `panel-tokens-withheld` was emitted. */
  const withheld = new Set<string>();
  let ended = false;

  /** The tool caller of a panel: with its project, and a chat id of its own. */
  function callsOf({ project, call: own }: Shown, chat: string): PanelCall | null {
    const call = own ? (_app: InstalledApp, request: CallRequest) => own(request) : deps.call;
    if (!call || project === undefined) return null;
    return (app, request) => call(app, { caller: PAGE, ...request, project, chat });
  }

  function emitWithheld(app: InstalledApp, panel: string): void {
    if (withheld.has(app.appId) || !app.manifest.accounts?.length) return;
    withheld.add(app.appId);
    deps.events.emit({ type: 'panel-tokens-withheld', appId: app.appId, panel });
  }

  function requireMayOpen(app: InstalledApp, project?: string): void {
    if (app.yanked) throw new RuntimeError('yanked');
    if (ended || !app.on || !deps.mayRun(app, project)) throw new RuntimeError('switched-off');
    if (open.size >= MAX_OPEN) throw new RuntimeError('too-many');
  }

  async function servedPanelOf(app: InstalledApp, panel: Panel): Promise<ServedPanel> {
    const entry = panel.config?.entry ?? DEFAULT_PANEL_ENTRY;
    const files = await deps.bundleFiles(app);
    const isPage = /^(?:ui|assets)\//.test(entry) && typeOfPath(entry).startsWith('text/html');
    if (!isPage || !files.has(entry)) throw new RuntimeError('unknown-panel');
    return servedOf(app, { title: panel.title, entry, files });
  }

  function servedOf(
    app: InstalledApp,
    given: Pick<ServedPanel, 'title' | 'entry' | 'files' | 'page'>,
  ): ServedPanel {
    const name = originName(app);
    return {
      app,
      loopback: (deps.loopbackOf ?? developerFoldersOnly)(app),
      ...given,
      handed: createHandedFiles(() => secretOf(16)),
      probe: createEngineProbe(() => secretOf(16)),
      secret: secretOf(32),
      origin: deps.originOf(name),
      frameOrigin: deps.originOf(`frame-${name}`),
      clientOrigin: deps.client.origin,
    };
  }

  function show(
    app: InstalledApp,
    served: ServedPanel,
    {
      project = null,
      chat,
      kindOf,
    }: {
      project?: string | undefined | null;
      chat?: string;
      kindOf(control: PanelControl, cardLimit: CardLimit): PanelKind;
    },
  ): OpenPanel {
    const cardLimit = createCardLimit();
    const panel = createOpenPanel({
      ...deps,
      ...{ app, served, kindOf: (control) => limited(kindOf(control, cardLimit), cardLimit) },
      ended(reason) {
        open.delete(served.secret);
        if (chat !== undefined) ownChats.delete(chat);
        deps.events.emit({ type: 'panel-closed', appId: app.appId, panel: panel.panelId, reason });
      },
    });
    open.set(served.secret, { panel, served, project });
    deps.events.emit({ type: 'panel-opened', appId: app.appId, panel: panel.panelId });
    return panel;
  }

  function showBundlePanel(
    app: InstalledApp,
    served: ServedPanel,
    context: HostContext,
    shown: Shown,
  ): OpenPanel {
    const chat = secretOf(16);
    ownChats.add(chat);
    const kindOf = () =>
      bundlePanel({
        ...deps,
        ...{ app, served, context },
        call: callsOf(shown, chat),
        client: shown.isForeign ? withoutFiles(deps.client) : deps.client,
        isForeign: shown.isForeign === true,
        mayRun: () => deps.mayRun(app, shown.project),
        withheld: () => emitWithheld(app, context.panel.id),
      });
    return show(app, served, { project: shown.project, chat, kindOf });
  }

  const unsubscribe = deps.events.subscribe((event) => {
    if (!('appId' in event)) return;
    const reason = closeReasonOf(event);
    for (const { panel } of [...open.values()].filter((entry) =>
      concerns(event, entry.panel, entry.project),
    )) {
      if (reason) panel.close(reason).catch(deps.onFault);
      else if (ACCOUNT_EVENTS.has(event.type)) panel.accountsChanged();
      // Calls of panels are not announced: two panels that refresh on each other's calls would loop forever.
      else if (event.type === 'call-ended' && !ownChats.has(event.chat)) panel.toolCalled(event.tool);
    }
  });

  return {
    async open(app, panelId, shown) {
      const { project } = shown;
      requireMayOpen(app, project);
      const panel = findPanel(app, panelId);
      const served = await servedPanelOf(app, panel);
      requireMayOpen(app, project);
      return showBundlePanel(app, served, contextOf(app, panel, shown), shown);
    },
    async openPage(app, request) {
      const { pages, client, system } = deps;
      const { project } = request;
      if (!pages) throw new RuntimeError('not-offered');
      requireMayOpen(app, project);
      const tool = pages.tools(app).find(({ id }) => id === request.tool);
      const uri = tool ? pageOfTool(tool) : null;
      if (!tool || uri === null) throw new RuntimeError('unknown-panel');
      const { html, csp } = await pages.read(app, uri, project);
      requireMayOpen(app, project);
      const page = pageSources(csp);
      const files = new Map([[PAGE_FILE, Buffer.from(html)]]);
      const served = servedOf(app, {
        title: `${app.manifest.name}: ${tool.title}`,
        entry: PAGE_FILE,
        files,
        page,
      });
      return show(app, served, {
        project,
        kindOf(control, cardLimit) {
          const parts = {
            ...{ system, app, tool, client, cardLimit, sources: page },
            tools: () => pages.tools(app),
            mayRun: () => deps.mayRun(app, project),
          };
          return 'isForeign' in request
            ? foreignPage({ ...parts, request })
            : connectorPage({ ...parts, request }, control);
        },
      });
    },
    isShown: (appId) => open.values().some(({ panel }) => panel.appId === appId),
    serve: (request) => servePanel((secret) => open.get(secret)?.served, request),
    async end() {
      ended = true;
      unsubscribe();
      await Promise.all([...open.values()].map(({ panel }) => panel.close('gone')));
    },
  };
}

function contextOf(app: InstalledApp, panel: Panel, shown: Shown): HostContext {
  const views = (panel.views ?? []).map(({ id, label }) => ({ id, label }));
  const view = views.find(({ id }) => id === shown.view) ?? views[0];
  return {
    theme: shown.theme,
    locale: shown.locale,
    app: { id: app.appId, name: app.manifest.name, version: app.version },
    panel: { id: panel.id, title: panel.title, view: view?.id ?? null, views },
    settings: shown.settings ?? {},
  };
}
