import type { Issue, Manifest } from '@svc/contracts';
import type {
  AccountStatus,
  AppSource,
  AppTool,
  Card,
  ContentPart,
  KeptFile,
  Requirement,
  TokenUse,
} from '@svc/runtime';

/** A project as the person knows it. Apps are told its id alone. */
export type Project = {
  id: string;
  name: string;
  /** Its folder on this machine, which agents may hand files out of; null for one without. */
  folder: string | null;
};

/** A store that an app was verified against, from the record of that: nothing of the catalogue is in it. */
export type StoreSource = Extract<AppSource, { kind: 'store' }>;

/** An app on this machine, as the page shows it. */
export type AppView = {
  appId: string;
  version: string;
  manifest: Manifest;
  source:
    | StoreSource
    | { kind: 'developer'; folder: string }
    | Extract<AppSource, { kind: 'connector' }>
    | { kind: 'built-in' };
  /** In the project that was asked for. */
  on: boolean;
  withdrawn: { reason: string; at: string } | null;
  /** What keeps it from being used although it is on, in words; null when nothing does. */
  obstacle: string | null;
  requirements: readonly Requirement[];
};

/** A folder of a developer, and what is wrong with it. */
export type FolderView = {
  folder: string;
  appId: string | null;
  issues: readonly Issue[];
  fault: string | null;
};

/** An account of an app, with who got its tokens lately, newest first. */
export type AccountView = AccountStatus & { activity: readonly TokenUse[] };

/** A sign-in that waits for the user. */
export type SignInView = { appId: string; app: string; accountId: string; label: string };

/** One thing that an app or an agent did: a call of a tool, or what became of an account. */
export type ActivityEntry = {
  /** Later ones have higher ids. */
  id: number;
  at: string;
  appId: string;
  kind: 'tool' | 'account';
  /** Id of the tool, or of the account. */
  name: string;
  /** The page itself, or the name of an agent; null where nobody asked. */
  asker: string | null;
  ms: number | null;
  outcome: string;
  /** What was sent and answered, in short, and masked. It is kept in memory alone: empty for what was before this start. */
  detail: string;
};

/** Which entries are wanted: of one app, of one kind, that ended in one way. */
export type ActivityFilter = { appId?: string; kind?: ActivityEntry['kind']; outcome?: string };

/** Entries, newest first, and whether there are older ones; all apps and all outcomes of which there are any, whatever was wanted. */
export type ActivityPage = {
  entries: readonly ActivityEntry[];
  more: boolean;
  apps: readonly string[];
  outcomes: readonly string[];
};

/** A question that waits for the person. */
export type WaitingCard = {
  id: string;
  card: Card;
  /** Who asks: the page itself, or the name of an agent. */
  asker: string;
  askedAt: string;
  /** The conversation that shows it, for one that arose there. */
  chat?: string;
};

/** A file that an app returned, to be downloaded with `GET /files/<id>`. */
export type FileView = Omit<KeptFile, 'path'>;

/** How a call ended. */
export type CallView =
  | {
      outcome: 'answered';
      isError: boolean;
      parts: readonly ({ type: 'text'; text: string } | { type: 'file'; file: FileView })[];
      structured: Readonly<Record<string, unknown>> | null;
    }
  | { outcome: 'refused'; code: string; message: string };

/** A coding agent that the gateway can be connected to. */
export type AgentView = {
  id: 'claude-code' | 'codex' | 'gemini-cli' | 'opencode' | 'cursor';
  name: string;
  /** Its configuration on this machine. */
  file: string;
  state: 'connected' | 'not-connected' | 'unreadable';
};

/** An agent that is connected now, as it names itself. */
export type AgentSessionView = {
  id: string;
  agent: string;
  version: string;
  since: string;
  /** When it last sent something. */
  usedAt: string;
  calls: number;
  lastCall: { appId: string; tool: string; at: string } | null;
  /** The project and the tools that it may use now; null until it asked for tools. */
  scope: {
    project: string;
    /** Whether it searches for tools, as they are many, instead of having them listed. */
    searched: boolean;
    apps: readonly { appId: string; name: string; tools: readonly string[] }[];
  } | null;
};

/** How agents are served: where they ask for approval, and whether tools are listed or searched; `auto` goes by their number. */
export type AgentChoices = { approvals: 'agent' | 'page'; tools: 'auto' | 'all' | 'search' };

/** What is set for agents. */
export type AgentSettingsView = {
  all: AgentChoices;
  /** What is set for one agent; null where it goes by what is set for all. Of approvals it can have the stricter place alone. */
  agents: Partial<Record<AgentView['id'], { approvals: 'page' | null; tools: AgentChoices['tools'] | null }>>;
  /** Where approvals are asked in this run, as the desktop was started; null when it goes by what is set. */
  started: AgentChoices['approvals'] | null;
  /** Why nobody can tell what was set, and what to do: all is asked on the page then. */
  fault: string | null;
};

/** Text that the page shows about this client. */
export type ClientView = {
  name: string;
  version: string;
  store: string;
  folder: string;
  /** Whether connectors on this machine and the local network are offered. */
  localConnectors: boolean;
};

/** A part of a resource or of a prompt; bytes of a file are base64. */
export type ContentPartView =
  | Exclude<ContentPart, { type: 'file' }>
  | { type: 'file'; name: string; mediaType: string; data: string };

/**
 * A tool with what is known of its arguments: as its server listed them in this run (`now`) or before (`last`), or nothing yet, as
 * the manifest names tools and not their arguments (`unknown`).
 */
export type ToolView = AppTool & { schema: 'now' | 'last' | 'unknown' };
