import type { Issue, Manifest } from '@svc/contracts';
import type {
  AccountStatus,
  AppSource,
  AppTool,
  AppYank,
  Card,
  ContentPart,
  KeptFile,
  Requirement,
  TokenUse,
} from '@svc/runtime';
import type { z } from 'zod';
import type { AgentId } from '../agents/entry.ts';
import type { AgentChoices, PreApproval } from '../settings/agent-settings.ts';
import type { Project as ProjectSchema } from '../settings/open-settings.ts';

/** A project. Apps only receive its id. */
export type Project = z.infer<typeof ProjectSchema>;

/** An installed app. */
export type AppView = {
  appId: string;
  version: string;
  manifest: Manifest;
  /** Of a store: as recorded at install; nothing of it is from the catalogue. */
  source:
    | Extract<AppSource, { kind: 'store' | 'connector' }>
    | { kind: 'developer'; folder: string }
    | { kind: 'built-in' };
  /** Whether it is on in the requested project. */
  on: boolean;
  yanked: AppYank | null;
  /** When it was switched on again because the store had undone a yank; null since the user switched or updated it. */
  restoredAt: string | null;
  /** Why it cannot be used although it is on; null if it can. */
  obstacle: string | null;
  /** Why its server does not respond; null if it did, or was not asked in this run. */
  serverFault: string | null;
  requirements: readonly Requirement[];
};

/** A folder of an app under development, with its findings. */
export type FolderView = {
  folder: string;
  appId: string | null;
  issues: readonly Issue[];
  fault: string | null;
};

/** An account of an app, with its recent token activity, newest first. */
export type AccountView = AccountStatus & { activity: TokenUse[] };

/** A sign-in in progress. */
export type SignInView = {
  appId: string;
  app: string;
  accountId: string;
  label: string;
  /** The digits for the page in the browser, if it asks for them; null as long as it need not. */
  digits: string | null;
};

export const ACTIVITY_KINDS = ['tool', 'account', 'install', 'server', 'yank'] as const;

/** An entry of the activity log: a tool call, an account event, an installation, a repaired answer of a server, or a yank and its end. */
export type ActivityEntry = {
  /** Later ones have higher ids. */
  id: number;
  at: string;
  appId: string;
  kind: (typeof ACTIVITY_KINDS)[number];
  /** Id of the tool, or of the account; the installed version; what was repaired; the yanked version, with the reason. */
  name: string;
  /** The page, or the name of an agent; null without a caller. */
  asker: string | null;
  /** Id of the conversation in which it was asked for; null for what belongs to none. */
  chat: string | null;
  ms: number | null;
  /** How much of it waited for the user; missing where that is not known. */
  waitedMs?: number;
  /** `under-way`, or how it ended; `interrupted` if the desktop ended before. */
  outcome: string;
  /** Shortened and masked arguments and result. In memory only: empty for entries before this start. */
  detail: string;
};

/** `from` and `to` are times: entries from the first on, and before the second. `text` is in the name of the app, of what it did, or of who asked. */
export type ActivityFilter = {
  appId?: string;
  kind?: ActivityEntry['kind'];
  outcome?: string;
  asker?: string;
  chat?: string;
  from?: string;
  to?: string;
  text?: string;
};

/** A card that waits for the user. */
export type WaitingCard = {
  id: string;
  card: Card;
  /** The page, or the name of an agent. */
  asker: string;
  askedAt: string;
  /** The conversation that shows the card, if it belongs to one. */
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
  id: AgentId;
  name: string;
  /** Its configuration on this machine. */
  file: string;
  /** Whether it seems to be installed. */
  installed: boolean;
  state: 'connected' | 'not-connected' | 'unreadable';
};

/** A connected agent, with the name that it reports. */
export type AgentSessionView = {
  id: string;
  agent: string;
  version: string;
  since: string;
  /** When it last sent something. */
  usedAt: string;
  calls: number;
  lastCall: { appId: string; tool: string; at: string } | null;
  /** The project and tools that it can use now; null until its first request for tools. */
  scope: {
    project: string;
    /** Whether it searches tools instead of listing them. */
    searched: boolean;
    /** What the list takes of a model's context, about: a token has four characters of JSON. */
    tokens: number;
    projectId: string;
    /** The name of the bundle that it is offered; null for all apps. */
    bundle: string | null;
    /** The agent that its name belongs to; null for an unknown name, for which no tool can be switched off. */
    knownAs: AgentId | null;
    apps: readonly {
      appId: string;
      name: string;
      tools: readonly { id: string; name: string; on: boolean }[];
    }[];
  } | null;
};

export type { AgentChoices, PreApproval };

/** Names a permission that lasts: of a tool in a conversation, of a tool for an agent, or of an app for further files of a project. */
export type PermissionName =
  | { kind: 'chat'; chat: string; key: string }
  | ({ kind: 'agent' } & PreApproval)
  | { kind: 'files'; appId: string; id: string };

/** What the user allowed for longer than one call. Times are ISO 8601; null where an earlier version did not write it. */
export type LastingPermission = {
  of: PermissionName;
  app: string | null;
  tool: string | null;
  /** Title of the conversation. */
  chat: string | null;
  /** Id of the project. */
  project: string | null;
  since: string | null;
  usedAt: string | null;
  /** The app has changed the tool since, so that its calls ask again. */
  changed: boolean;
};

/** Information about this client. */
export type ClientView = {
  name: string;
  version: string;
  store: string;
  folder: string;
  /** Whether the desktop was started with connectors on this computer and the local network, which the user then cannot change. */
  givenLocalConnectors: boolean;
  /** The private networks that the machine or the environment sets; null when the user chooses them. */
  givenNetworks: readonly string[] | null;
  /** The command that starts this desktop again. */
  command: string;
};

/** A part of a resource or a prompt; file bytes are base64. */
export type ContentPartView =
  | Exclude<ContentPart, { type: 'file' }>
  | { type: 'file'; name: string; mediaType: string; data: string };

/**
 * A tool, and where its argument schema is from: listed by the server in this run (`now`) or before (`last`), or not known yet, because
 * manifests name tools but not their arguments (`unknown`).
 */
export type ToolView = AppTool & { schema: 'now' | 'last' | 'unknown' };
