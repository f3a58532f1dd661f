import { inBackground } from '@svc/contracts/guarded';
import type { InstalledApp } from '../library/installed-app.ts';
import type { System } from '../platform/system.ts';
import { type Bridge, createBridge, type Method } from './bridge/bridge.ts';
import type { CloseReason, HostContext } from './bridge/messages.ts';
import { panelMethods } from './bridge/methods.ts';
import { dataUrl, typeOfHandedFile } from './content-types.ts';
import type { HostLink } from './document/host-script.ts';
import { pageDocument } from './document/page-document.ts';
import { type PanelDocument, panelDocument } from './document/panel-document.ts';
import { SANDBOX } from './policy.ts';
import type { PanelAccounts, PanelCall, PanelClient, PanelFile } from './ports.ts';
import { frameAddress, handedAddress, type ServedPanel } from './serve-panel.ts';

/** Time limit for a panel to save its work when it is closed, in milliseconds. */
const TEARDOWN_MS = 1_000;

/** What the client's page needs to show a panel. */
export type PanelFrame = { address: string; origin: string; sandbox: string; title: string };

/** What changes while a panel is shown. */
export type ContextChanges = {
  theme?: HostContext['theme'];
  locale?: string;
  view?: string;
  settings?: HostContext['settings'];
  /** How a page of a connector is shown (MCP Apps, "Display Modes"). */
  mode?: DisplayMode;
};

export type DisplayMode = 'inline' | 'fullscreen';

/** How a page of a connector asks to be shown: its height in pixels, or its mode. The client decides. */
export type PanelView = { height?: number; mode?: DisplayMode };

/** An open panel. `receive` and `listen` are its channel, which the client connects to its page. */
export type OpenPanel = {
  appId: string;
  panelId: string;
  frame: PanelFrame;
  /** The panel as one document, for a host of MCP Apps. @throws RuntimeError `not-offered`, `too-large` */
  document(link: HostLink): PanelDocument;
  /** Handles a message of the panel. */
  receive(text: unknown): void;
  /** Sets the handlers of messages to the panel, of what it asks of its view, and of its closing (called once). */
  listen(to: {
    message(text: string): void;
    shown?(as: PanelView): void;
    closed(reason: CloseReason): void;
  }): void;
  /** Notifies the panel of a new theme, locale or view. An undeclared view is ignored. */
  change(changes: ContextChanges): void;
  accountsChanged(): void;
  /** Notifies the panel that a chat or an agent called a tool of its app. */
  toolCalled(tool: string): void;
  /** Closes the panel; `closed` and `updated` let it save its work first. */
  close(reason: CloseReason): Promise<void>;
};

/** The two kinds of panels: those of bundles, and pages of connectors. They differ in what they may request and receive. */
export type PanelKind = {
  panelId: string;
  /** All methods that the panel may call. */
  methods: ReadonlyMap<string, Method>;
  /** Whether the panel receives notifications about accounts and calls of its app. */
  followsApp: boolean;
  /** Handles a notification of the panel, other than a cancellation. */
  notified?(name: string, params: unknown): Promise<void> | void;
  /** Takes changes of the context. @returns those that the panel receives */
  changed(changes: ContextChanges): object;
};

/** What a kind may have done with its open panel. */
export type PanelControl = {
  /** Notifies the panel, once it is initialized. */
  notify(name: string, params: object): void;
  /** Has the client's page show it in another way. */
  show(as: PanelView): void;
  close(reason: CloseReason): void;
};

type OpenPanelDeps = {
  system: Pick<System, 'now' | 'sleep'>;
  app: InstalledApp;
  served: ServedPanel;
  kindOf(control: PanelControl): PanelKind;
  ended(reason: CloseReason): void;
  onFault(error: unknown): void;
};

/** Close reasons that allow a teardown. */
const WITH_TEARDOWN = new Set<CloseReason>(['closed', 'updated']);

export function createOpenPanel({ app, served, system, kindOf, ...deps }: OpenPanelDeps): OpenPanel {
  let initialized = false;
  let closing = false;
  let ended = false;
  let listener: Parameters<OpenPanel['listen']>[0] | null = null;

  // MCP Apps: no notifications before `ui/notifications/initialized`.
  const notify = (name: string, params: object): void => {
    if (initialized) bridge.notify(name, params);
  };
  const kind = kindOf({
    notify,
    show: (as) => listener?.shown?.(as),
    close: (reason) => inBackground(close(reason), deps.onFault),
  });
  const bridge: Bridge = createBridge({
    system,
    methods: kind.methods,
    notified(name, params) {
      if (name === 'ui/notifications/initialized') initialized = true;
      inBackground((async () => kind.notified?.(name, params))(), deps.onFault);
    },
    send: (text) => listener?.message(text),
    limitExceeded: (reason) => end(reason),
    onFault: deps.onFault,
  });

  function end(reason: CloseReason): void {
    if (ended) return;
    ended = true;
    bridge.close();
    served.handed.clear();
    deps.ended(reason);
    listener?.closed(reason);
  }

  async function close(reason: CloseReason): Promise<void> {
    if (WITH_TEARDOWN.has(reason) && initialized && !closing) {
      closing = true;
      await tearDown(bridge, system, reason);
    }
    end(reason);
  }

  return {
    appId: app.appId,
    panelId: kind.panelId,
    frame: {
      address: frameAddress(served),
      origin: served.frameOrigin,
      sandbox: SANDBOX,
      title: served.title,
    },
    document: (link) => (served.page ? pageDocument : panelDocument)(served, link),
    receive: (text) => bridge.receive(text),
    listen(to) {
      listener = to;
    },
    change: (changes) => notify('ui/notifications/host-context-changed', kind.changed(changes)),
    accountsChanged: () => kind.followsApp && notify('notifications/accounts/list_changed', {}),
    toolCalled: (tool) => kind.followsApp && notify('notifications/tools/called', { tool }),
    close,
  };
}

type BundlePanelDeps = {
  system: Pick<System, 'now'>;
  app: InstalledApp;
  served: ServedPanel;
  accounts: PanelAccounts;
  client: PanelClient;
  context: HostContext;
  call: PanelCall | null;
  /** A host of another program shows the panel. It gets no tokens, and no files by address. */
  isForeign: boolean;
  mayRun(): boolean;
  /** Called when the panel starts in a browser that gets no tokens. */
  withheld(): void;
};

/** A file as an address that works in every host. */
const dataAddress = ({ type, bytes }: PanelFile): string => dataUrl(typeOfHandedFile(type), bytes);

/** A panel of a bundle. */
export function bundlePanel({ served, isForeign, context: first, ...deps }: BundlePanelDeps): PanelKind {
  let context = first;
  return {
    panelId: context.panel.id,
    followsApp: true,
    methods: panelMethods({
      ...deps,
      files: served.handed,
      context: () => context,
      tokensWithheld: () => isForeign || (deps.client.tokens !== 'always' && !served.probe.isConfined()),
      addressOf: (id) => (isForeign ? dataAddress(served.handed.get(id)) : handedAddress(served, id)),
    }),
    changed({ view, mode: _, ...outside }) {
      const known = view !== undefined && context.panel.views.some(({ id }) => id === view);
      const changed = { ...outside, ...(known && { panel: { ...context.panel, view } }) };
      context = { ...context, ...changed };
      return changed;
    },
  };
}

async function tearDown(bridge: Bridge, system: Pick<System, 'sleep'>, reason: CloseReason): Promise<void> {
  const answered = new AbortController();
  const timeout = system.sleep(TEARDOWN_MS, answered.signal).catch(() => {});
  await Promise.race([bridge.request('ui/resource-teardown', { reason }), timeout]);
  answered.abort();
}
