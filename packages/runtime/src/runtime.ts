import type { Accounts } from './accounts/accounts.ts';
import type { CallRequest } from './calls/call-tool.ts';
import type { ToolsNow } from './calls/calls.ts';
import type { AppTool } from './calls/known-tools.ts';
import type { WaitingChanges } from './calls/pins/pins.ts';
import type { CallResult } from './calls/read-result.ts';
import type { AddressRequest, LocalConnectorRequest } from './connectors/add-local-connector.ts';
import type { DeveloperFolder } from './developer/developer-folder.ts';
import type { Events } from './events/events.ts';
import type { KeptFile, StoredFile } from './files/app-storage.ts';
import type { Prepare } from './files/ready-files.ts';
import type { Save } from './files/save-to-project.ts';
import type { Installer } from './install/installer.ts';
import type { UpdateOutcome } from './install/update-apps.ts';
import type { UpdateWatch } from './install/update-watch.ts';
import type { RuntimePictures } from './library/app-pictures.ts';
import type { ConnectorChoices, FilePermission } from './library/choice-tables.ts';
import type { InstalledApp } from './library/installed-app.ts';
import type { Library } from './library/library.ts';
import type { Managed } from './managed/open-managed.ts';
import type { RuntimeModels } from './models/model-tools.ts';
import type { ForeignPage, PageRequest } from './panels/connector-page.ts';
import type { OpenPanel } from './panels/open-panel.ts';
import type { Shown } from './panels/panels.ts';
import type { Previews } from './panels/previews.ts';
import type { Removed } from './remove-app.ts';
import type { RevocationWatch } from './revocations/revocation-watch.ts';
import type { RuntimePrompts, RuntimeResources } from './runtime-contents.ts';
import type { MirrorState } from './store/mirrors/mirrored-fetch.ts';
import type { StoreReader } from './store/store-reader.ts';

/** A file that an app saves into a project: the id and the folder of the project, and the file. */
export type SaveRequest = Omit<Save, 'app' | 'project'> & { project: string; folder: string };

/** How a panel is shown, and in which project. */
export type PanelRequest = Shown & { project: string };

/** The stored files of an app in a project, by the ids of call results. */
export type KeptFiles = {
  /** Lists files, newest first. */
  list(appId: string, where: { project: string }): Promise<StoredFile[]>;
  /** @throws RuntimeError `unknown-file` */
  read(appId: string, id: string, where: { project: string }): Promise<KeptFile & { content: Uint8Array }>;
  /** @throws RuntimeError `unknown-file` */
  remove(appId: string, id: string, where: { project: string }): Promise<void>;
};

/** An app, or its id. */
export type AppOrId = InstalledApp | string;

/** The accounts of apps, which may be given by id. */
export type RuntimeAccounts = Omit<Accounts, 'close' | 'list' | 'connect' | 'token' | 'disconnect'> & {
  list(app: AppOrId): ReturnType<Accounts['list']>;
  connect(app: AppOrId, ...rest: Tail<Accounts['connect']>): ReturnType<Accounts['connect']>;
  token(app: AppOrId, ...rest: Tail<Accounts['token']>): ReturnType<Accounts['token']>;
  disconnect(app: AppOrId, ...rest: Tail<Accounts['disconnect']>): ReturnType<Accounts['disconnect']>;
};

type Tail<F extends (first: InstalledApp, ...rest: never) => unknown> =
  Parameters<F> extends [unknown, ...infer Rest] ? Rest : never;

/** What the user lets connectors do. Both methods throw a RuntimeError `not-offered` for an app that is not a connector. */
export type RuntimeConnectors = {
  choices(appId: string): ConnectorChoices;
  /** Changes some choices. The next call of the connector sees them. */
  choose(appId: string, choices: Partial<ConnectorChoices>): void;
};

/** The client runtime. */
export type Runtime = RuntimeModels & {
  events: Events;
  library: Omit<Library, 'addConnector' | 'present' | 'remove' | 'refusal'>;
  reader: StoreReader;
  installer: Installer;
  revocations: RevocationWatch;
  accounts: RuntimeAccounts;
  /** Installs updates of all apps of the store; see `checkUpdates`. */
  update(signal: AbortSignal): Promise<UpdateOutcome[]>;
  /** What the runtime found by itself, where `autoUpdate` is on; null where it is not. */
  updates: Pick<UpdateWatch, 'waiting' | 'checkedAt' | 'installsNow'> | null;
  /** What the company has in force; null without the option `managed`. */
  managed: Managed | null;
  /** The mirrors of the store that are asked, in their order, and why one of them is not used now. */
  mirrors(): MirrorState[];
  /** Lists the tools of an app in a project. @throws RuntimeError as `library.requireUsable` does */
  tools(appId: string, options: { project: string; signal?: AbortSignal }): Promise<AppTool[]>;
  /** The same without a request: from the last `tools/list` response, or from the manifest. @throws RuntimeError */
  toolsNow(appId: string, options: { project: string }): ToolsNow;
  /** The known tools of all apps that can be used in a project. */
  allToolsNow(options: { project: string }): ToolsNow[];
  /** Changes of servers' tools that wait for the user. Models and agents read the accepted descriptions until then. */
  toolChanges: {
    /** @param appId default: all apps */
    list(appId?: string): WaitingChanges[];
    /** @param binding of the changes that the user saw @throws RuntimeError `not-installed`, `consent-needed` */
    accept(appId: string, binding: string): void;
    /** Keeps the accepted descriptions, without asking about these changes again. @throws RuntimeError as `accept` */
    reject(appId: string, binding: string): void;
  };
  /** The apps that get further files of a project without a question, as the user allowed. */
  filePermissions: {
    list(): FilePermission[];
    /** The next file asks again. */
    revoke(appId: string, id: string): void;
  };
  /** Calls a tool of an installed app. @throws RuntimeError */
  call(appId: string, request: CallRequest): Promise<CallResult>;
  /** Opens a panel of an installed app, and serves it on this machine. @throws RuntimeError */
  openPanel(appId: string, panelId: string, request: PanelRequest): Promise<OpenPanel>;
  /** Opens the page that the server of a connector gives a tool (MCP Apps), beside a call of it, or as a document for another host. @throws RuntimeError */
  openPage(appId: string, request: PageRequest | ForeignPage): Promise<OpenPanel>;
  /** Runs a media operation on a file of the user, in the process of media. @throws RuntimeError `media-failed`, `too-slow` */
  prepareMedia: Prepare;
  /** Documents that no app wrote, such as the HTML of a model's answer, without network and storage: `mountPreview` shows them. */
  readonly previews: Pick<Previews, 'open' | 'close'>;
  /** Source of panels and previews for the content security policy (`frame-src`) of the page that shows them. */
  readonly panelSource: string;
  /** Why the server of an app does not respond; null if it did, or was not asked in this process. */
  serverFault(appId: string): string | null;
  /** Saves a file of an app into a project, after a card. @throws RuntimeError */
  save(appId: string, request: SaveRequest, signal: AbortSignal): Promise<void>;
  /**
   * Adds a hosted MCP server by its URL, and headers to send to it, whose values are stored in the vault alone.
   * @throws RuntimeError `address-refused`, `server-failed`, `id-taken`; `invalid-arguments` for a header
   */
  addConnector(server: string | AddressRequest, signal?: AbortSignal): Promise<InstalledApp>;
  /**
   * Adds a program on this machine, or a server on this machine or the local network, after the user agreed to exactly that.
   * @throws RuntimeError `not-offered` unless the runtime was opened with `localConnectors`; `declined`, `command-refused`,
   *   `address-refused`, `unreachable`, `server-failed`, `too-slow`
   */
  addLocalConnector(request: LocalConnectorRequest, signal?: AbortSignal): Promise<InstalledApp>;
  /** What the user lets connectors do. */
  connectors: RuntimeConnectors;
  resources: RuntimeResources;
  /** Prompts of connectors. */
  prompts: RuntimePrompts;
  /** Icons, marks and other pictures of apps, as bitmaps. */
  pictures: RuntimePictures;
  /** Stored files of apps, including those of earlier sessions. */
  files: KeptFiles;
  openFolder(folder: string): Promise<DeveloperFolder>;
  /** Removes an app or a connector with its accounts and files; see `removeApp`. */
  remove(appId: string): Promise<Removed>;
  /** Aborts calls and sign-ins, closes panels, and releases all resources. Idempotent. */
  close(): Promise<void>;
};
