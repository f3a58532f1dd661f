import type { AppDetail, CatalogEntry } from '@svc/contracts';
import type {
  Answer,
  AppPrompt,
  AppResource,
  AppResourceTemplate,
  ConnectorChoices,
  Disconnected,
  InstallSheet,
  LocalConnectorRequest,
  OfferedList,
  PanelFrame,
  Removed,
  StoredFile,
  UpdateOutcome,
  WaitingChanges,
} from '@svc/runtime';
import type { ChatCalls } from './chat.ts';
import type {
  AccountView,
  ActivityFilter,
  ActivityPage,
  AgentChoices,
  AgentSessionView,
  AgentSettingsView,
  AgentView,
  AppView,
  CallView,
  ClientView,
  ContentPartView,
  FileView,
  FolderView,
  LinksView,
  PreApproval,
  Project,
  SignInView,
  StoreSessionView,
  ToolView,
  WaitingCard,
} from './views.ts';

type Nothing = Record<string, never>;

/**
 * The calls of the page: `POST /api/<name>` with a JSON object; the response is a JSON object. Each needs the session's bearer. Errors
 * are 4xx with `{ code, message }`: the code is a `RefusalCode` of the runtime, or `invalid_request`, `unauthorized`, `not_found`,
 * `internal`.
 */
export type DesktopCalls = ChatCalls & {
  /** Exchanges the key of a one-time link for a bearer; the only call without a bearer. */
  'session.open': { in: { key: string }; out: { bearer: string } };
  /** Creates a one-time key for another window of this browser. */
  'session.share': { in: Nothing; out: { key: string } };
  'client.show': {
    in: Nothing;
    out: ClientView & { privateNetworks: readonly string[]; projects: Project[]; cards: WaitingCard[] };
  };
  /** Names the hosts and networks inside a company that apps may reach. */
  'client.saveNetworks': { in: { entries: string[] }; out: Nothing };
  'client.storeSession': { in: Nothing; out: StoreSessionView };
  /** Begins a sign-in to the store, and opens its page. */
  'client.signIn': { in: Nothing; out: StoreSessionView };
  'client.cancelSignIn': { in: Nothing; out: Nothing };
  /** Revokes the token of this desktop. */
  'client.signOut': { in: Nothing; out: Nothing };

  'store.search': {
    in: { q?: string; category?: string; sort?: string; cursor?: string };
    out: { apps: CatalogEntry[]; nextCursor: string | null; total: number };
  };
  'store.app': { in: { appId: string }; out: AppDetail };
  /** Downloads and verifies a version. The sheet can be answered for ten minutes. */
  'store.prepare': { in: { appId: string; version?: string }; out: { sheetId: string; sheet: InstallSheet } };
  /** The store's page on which the user rates an installed app. */
  'store.ratingPage': { in: { appId: string }; out: { url: string } };
  'store.install': { in: { sheetId: string; answer: Answer }; out: { app: AppView } };

  /** Null if this desktop opens no links. */
  'links.show': { in: Nothing; out: { links: LinksView | null } };
  'links.turn': { in: { isOn: boolean }; out: Nothing };
  /** Opens the desktop of another store; null for a store that is new here, as long as the user has not agreed. */
  'links.open': {
    in: { action: 'install' | 'rate'; appId: string; store: string; isAgreed: boolean };
    out: { link: string | null };
  };

  'apps.list': { in: { project: string }; out: { apps: AppView[] } };
  /** In all projects if none is given. */
  'apps.switch': { in: { appId: string; on: boolean; project?: string }; out: Nothing };
  'apps.remove': { in: { appId: string }; out: Removed };
  /** Checks all apps for updates. Updates that ask for new permissions show a card. */
  'apps.update': { in: Nothing; out: { outcomes: UpdateOutcome[] } };
  'apps.checkRevocations': {
    in: Nothing;
    out: { refused: string | null; signedAt: string | null; stale: boolean; ahead: boolean };
  };
  'apps.settings': { in: { appId: string }; out: { values: Record<string, string | number | boolean> } };
  'apps.saveSettings': {
    in: { appId: string; values: Record<string, string | number | boolean> };
    out: Nothing;
  };

  'accounts.list': { in: { appId: string }; out: { accounts: AccountView[] } };
  'accounts.connect': { in: { appId: string; accountId: string }; out: Nothing };
  /** Sign-ins in progress, of all pages and agents. */
  'accounts.signIns': { in: Nothing; out: { signIns: SignInView[] } };
  /** Reopens the page of a sign-in. */
  'accounts.reopen': { in: { appId: string; accountId: string }; out: Nothing };
  'accounts.cancel': { in: { appId: string; accountId: string }; out: Nothing };
  'accounts.disconnect': { in: { appId: string; accountId: string }; out: Disconnected };

  /** The known tools of an app, without a request to its server. */
  'tools.known': { in: { appId: string; project: string }; out: { tools: ToolView[] } };
  /** Requests the tools from the server; `fault` says why that failed, and the tools are then the known ones. */
  'tools.list': {
    in: { appId: string; project: string };
    out: { tools: ToolView[]; fault: string | null; repairs: readonly string[] };
  };
  /** Changes of servers' tools that wait for the user, in every project. */
  'tools.changes': { in: Nothing; out: { waiting: WaitingChanges[] } };
  /** Accepts the changes of an app that the page showed. */
  'tools.acceptChanges': { in: { appId: string; binding: string }; out: Nothing };
  /** Known tool names of all apps that can be used in a project. */
  'tools.names': {
    in: { project: string };
    out: { apps: { appId: string; tools: { id: string; name: string }[] }[] };
  };
  /** `callId` is the page's own, for progress and `tools.stop`; files are ids of `POST /uploads`, by argument. */
  'tools.call': {
    in: {
      callId: string;
      appId: string;
      tool: string;
      project: string;
      arguments: Record<string, unknown>;
      files: Record<string, string[]>;
    };
    out: CallView;
  };
  'tools.stop': { in: { callId: string }; out: Nothing };
  /** Saves a file to the project's folder, after a card. */
  'tools.saveFile': { in: { fileId: string; appId: string; project: string; path: string }; out: Nothing };

  /** The files of an app in a project, including those of earlier sessions. */
  'files.list': { in: { appId: string; project: string }; out: { files: readonly StoredFile[] } };
  /** Opens a stored file for this page, to be downloaded with `GET /files/<id>`. */
  'files.open': { in: { appId: string; project: string; id: string }; out: { file: FileView } };
  'files.remove': { in: { appId: string; project: string; id: string }; out: Nothing };

  'cards.answer': { in: { cardId: string; answer: Answer }; out: Nothing };

  'panels.open': {
    in: {
      appId: string;
      panelId: string;
      project: string;
      theme: 'light' | 'dark';
      locale: string;
      view?: string;
    };
    out: { panel: string; frame: PanelFrame };
  };
  'panels.send': { in: { panel: string; text: string }; out: Nothing };
  'panels.change': {
    in: { panel: string; theme?: 'light' | 'dark'; locale?: string; view?: string };
    out: Nothing;
  };
  'panels.close': { in: { panel: string; reason: string }; out: Nothing };
  /** The user's choice for a panel that sent a `pick-files` event; an empty list if nothing was chosen. */
  'panels.picked': { in: { pickId: string; uploads: string[] }; out: Nothing };

  'connectors.add': { in: { url: string }; out: { app: AppView } };
  /** What the user lets a connector do. */
  'connectors.choices': { in: { appId: string }; out: ConnectorChoices };
  'connectors.choose': { in: { appId: string; choices: Partial<ConnectorChoices> }; out: Nothing };
  /** Adds a program on this computer, or a server on it or the local network, after a card. */
  'connectors.addLocal': { in: LocalConnectorRequest; out: { app: AppView } };

  /** Allows connectors on this computer and the local network from the next start on. */
  'connectors.allowLocal': { in: { on: boolean }; out: Nothing };

  'resources.list': {
    in: { appId: string; project: string };
    out: { resources: OfferedList<AppResource>; templates: OfferedList<AppResourceTemplate> };
  };
  'resources.read': {
    in: { appId: string; project: string; uri: string };
    out: { parts: readonly ContentPartView[] };
  };
  'prompts.list': { in: { appId: string; project: string }; out: { prompts: OfferedList<AppPrompt> } };
  'prompts.get': {
    in: { appId: string; project: string; id: string; arguments: Record<string, string> };
    out: {
      description: string;
      messages: readonly { role: 'user' | 'assistant'; part: ContentPartView }[];
    };
  };

  /** The activity of apps and agents; `before` returns entries older than that one. */
  'activity.list': { in: ActivityFilter & { before?: number }; out: ActivityPage };
  /** Clears everything if no app is given. */
  'activity.clear': { in: { appId?: string }; out: Nothing };

  'folders.list': { in: Nothing; out: { folders: FolderView[] } };
  'folders.open': { in: { folder: string }; out: { folder: FolderView } };
  'folders.close': { in: { folder: string }; out: Nothing };

  'projects.add': { in: { name: string; folder: string | null }; out: { project: Project } };
  'projects.remove': { in: { project: string }; out: Nothing };
  /** Folders, in addition to those of projects, that agents may pass files from. */
  'projects.allowed': { in: Nothing; out: { folders: string[] } };
  'projects.allow': { in: { folder: string }; out: { folders: string[] } };
  'projects.disallow': { in: { folder: string }; out: { folders: string[] } };

  'agents.list': { in: Nothing; out: { agents: AgentView[]; address: string } };
  /** The agent's file before and after connecting or disconnecting; nothing is written. */
  'agents.preview': {
    in: { agent: AgentView['id']; remove: boolean };
    out: { file: string; before: string; after: string };
  };
  /** The connected agents, newest first. */
  'agents.sessions': { in: Nothing; out: { sessions: AgentSessionView[] } };
  /** Ends a session and its calls. The agent may open another one. */
  /** Null ends all sessions. */
  'agents.end': { in: { session: string | null }; out: Nothing };
  'agents.saveAskAboutTools': { in: { asks: boolean }; out: AgentSettingsView };
  /** Switches a tool off or on for an agent in a project. */
  'agents.switchTool': { in: PreApproval & { on: boolean }; out: Nothing };
  'agents.settings': { in: Nothing; out: AgentSettingsView };
  'agents.saveForAll': { in: AgentChoices; out: AgentSettingsView };
  'agents.saveFor': {
    in: { agent: AgentView['id']; approvals: 'page' | null; tools: AgentChoices['tools'] | null };
    out: AgentSettingsView;
  };
  /** The tools that agents may call without asking; `changed`: the app has changed the tool since, so that its calls ask again. */
  'agents.preApproved': { in: Nothing; out: { tools: (PreApproval & { changed: boolean })[] } };
  /** The tools of a project that ask before each call and take no files. */
  'agents.askingTools': {
    in: { project: string };
    out: { tools: { appId: string; app: string; tool: string; name: string }[] };
  };
  'agents.preApprove': { in: PreApproval; out: Nothing };
  'agents.revokePreApproval': { in: PreApproval; out: Nothing };
  'agents.apply': { in: { agent: AgentView['id']; remove: boolean }; out: { agent: AgentView } };
};

export type CallName = keyof DesktopCalls;
