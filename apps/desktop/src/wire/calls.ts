import type { AppDetail, CatalogEntry } from '@svc/contracts';
import type {
  Answer,
  AppPrompt,
  AppResource,
  AppResourceTemplate,
  Disconnected,
  InstallSheet,
  LocalConnectorRequest,
  OfferedList,
  PanelFrame,
  Removed,
  StoredFile,
  UpdateOutcome,
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
  Project,
  SignInView,
  ToolView,
  WaitingCard,
} from './views.ts';

type Nothing = Record<string, never>;

/**
 * What the page may ask of the desktop: `POST /api/<name>` with a JSON object, answered with a JSON object. Each needs the
 * session's bearer. What is refused is answered with 4xx and `{ code, message }`: the code is a `RefusalCode` of the runtime,
 * or `invalid_request`, `unauthorized`, `not_found`, `internal`.
 */
export type DesktopCalls = ChatCalls & {
  /** Trades the key of a one-time link for a bearer; the only call without one. */
  'session.open': { in: { key: string }; out: { bearer: string } };
  'client.show': { in: Nothing; out: ClientView & { projects: Project[]; cards: WaitingCard[] } };

  'store.search': {
    in: { q?: string; category?: string; sort?: string; cursor?: string };
    out: { apps: CatalogEntry[]; nextCursor: string | null; total: number };
  };
  'store.app': { in: { appId: string }; out: AppDetail };
  /** Downloads and verifies. The sheet is kept under its id for ten minutes. */
  'store.prepare': { in: { appId: string; version?: string }; out: { sheetId: string; sheet: InstallSheet } };
  'store.install': { in: { sheetId: string; answer: Answer }; out: { app: AppView } };

  'apps.list': { in: { project: string }; out: { apps: AppView[] } };
  /** Everywhere when no project is given. */
  'apps.switch': { in: { appId: string; on: boolean; project?: string }; out: Nothing };
  'apps.remove': { in: { appId: string }; out: Removed };
  /** Looks for updates of all apps; those that reach further ask with a card. */
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
  /** The sign-ins that wait for the user, of all pages and agents. */
  'accounts.signIns': { in: Nothing; out: { signIns: SignInView[] } };
  /** Opens the page of a sign-in again. */
  'accounts.reopen': { in: { appId: string; accountId: string }; out: Nothing };
  'accounts.cancel': { in: { appId: string; accountId: string }; out: Nothing };
  'accounts.disconnect': { in: { appId: string; accountId: string }; out: Disconnected };

  /** What is known of the tools of an app without asking its server. */
  'tools.known': { in: { appId: string; project: string }; out: { tools: ToolView[] } };
  /** As its server lists them now; `fault` says why it could not be asked, and the tools are those that are known then. */
  'tools.list': { in: { appId: string; project: string }; out: { tools: ToolView[]; fault: string | null } };
  /** Names of the tools of all apps that may be used in a project, as they are known. */
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
  /** Into the folder of the project, behind a card. */
  'tools.saveFile': { in: { fileId: string; appId: string; project: string; path: string }; out: Nothing };

  /** What an app keeps in a project, also from earlier sessions. */
  'files.list': { in: { appId: string; project: string }; out: { files: readonly StoredFile[] } };
  /** Makes a kept file one of this page, to be downloaded with `GET /files/<id>`. */
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
  /** What the person chose for a panel that asked with a `pick-files` event; nothing chosen is an empty list. */
  'panels.picked': { in: { pickId: string; uploads: string[] }; out: Nothing };

  'connectors.add': { in: { url: string }; out: { app: AppView } };
  /** A program of this machine, or a server of this machine or the local network, behind a card. */
  'connectors.addLocal': { in: LocalConnectorRequest; out: { app: AppView } };

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

  /** What apps and agents did; what was before an entry, when it is given. */
  'activity.list': { in: ActivityFilter & { before?: number }; out: ActivityPage };
  /** Everything when no app is given. */
  'activity.clear': { in: { appId?: string }; out: Nothing };

  'folders.list': { in: Nothing; out: { folders: FolderView[] } };
  'folders.open': { in: { folder: string }; out: { folder: FolderView } };
  'folders.close': { in: { folder: string }; out: Nothing };

  'projects.add': { in: { name: string; folder: string | null }; out: { project: Project } };
  'projects.remove': { in: { project: string }; out: Nothing };
  /** Folders, besides those of projects, that agents may hand files out of. */
  'projects.allowed': { in: Nothing; out: { folders: string[] } };
  'projects.allow': { in: { folder: string }; out: { folders: string[] } };
  'projects.disallow': { in: { folder: string }; out: { folders: string[] } };

  'agents.list': { in: Nothing; out: { agents: AgentView[]; address: string } };
  /** What connecting, or undoing it, would make of the agent's file; nothing is written. */
  'agents.preview': {
    in: { agent: AgentView['id']; remove: boolean };
    out: { file: string; before: string; after: string };
  };
  /** The agents that are connected now, the newest first. */
  'agents.sessions': { in: Nothing; out: { sessions: AgentSessionView[] } };
  /** Ends a session and what it has under way. The agent may begin another. */
  'agents.end': { in: { session: string }; out: Nothing };
  'agents.settings': { in: Nothing; out: AgentSettingsView };
  'agents.saveForAll': { in: AgentChoices; out: AgentSettingsView };
  'agents.saveFor': {
    in: { agent: AgentView['id']; approvals: 'page' | null; tools: AgentChoices['tools'] | null };
    out: AgentSettingsView;
  };
  'agents.apply': { in: { agent: AgentView['id']; remove: boolean }; out: { agent: AgentView } };
};

export type CallName = keyof DesktopCalls;
