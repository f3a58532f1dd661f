import type { Card } from '@svc/runtime';

/** The protocols of model providers: that of OpenAI, which most speak, and those of Anthropic and Google. */
export const PROTOCOLS = ['openai', 'anthropic', 'google'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

export type ModelRef = { provider: string; model: string };

/** A file of a conversation: attached by the user, or returned by an app. */
export type ChatFile = {
  id: string;
  name: string;
  type: string;
  bytes: number;
  /** The app that returned it; null for an attachment. */
  appId: string | null;
};

/** A card of a call, with its state. */
export type ChatCard = {
  id: string;
  card: Card;
  state: 'waiting' | 'accepted' | 'declined' | 'gone';
};

/** One call of a tool in an answer. */
export type ChatCall = {
  id: string;
  /** The name that the model used. */
  name: string;
  appId: string | null;
  app: string;
  tool: string;
  arguments: Readonly<Record<string, unknown>>;
  state: 'running' | 'answered' | 'failed' | 'refused';
  /** The result, or why the call was refused. */
  text: string;
  /** Structured content, if the text does not repeat it. */
  structured?: Readonly<Record<string, unknown>>;
  code: string | null;
  files: readonly ChatFile[];
  /** How long it worked, without the time that it waited for the user. */
  ms: number | null;
  /** How long cards and sign-ins waited for the user. */
  waitedMs?: number;
  /** When its time limit ends; null while a card or a sign-in waits for the user, and once the call has ended. */
  until: string | null;
  /** When it would have begun if it had never waited for the user; missing while it waits. */
  since?: string | undefined;
  cards: readonly ChatCard[];
  /** The whole of a result of which `text` is the beginning: a file of the call, and its characters. */
  whole?: { file: string; chars: number };
  /** The tool whose page its server gives (MCP Apps), and what only the page reads of the result. */
  page?: { tool: string } & PageData;
};

/** What a page reads of a result beside its text: structured content that the text repeats, and `_meta`. */
export type PageData = {
  structured?: Record<string, unknown>;
  given?: Record<string, unknown>;
};

/** Notices in a message: what its request left out, why the provider ended it early, or that the user deleted what it said. */
export type NoticeCode =
  | 'trimmed'
  | 'no-tools'
  | 'no-pictures'
  | 'cut'
  | 'early'
  | 'empty'
  | 'filtered'
  | 'removed';

/** A part of a message. `step` is the number of its request to the model. */
export type ChatPart =
  | { type: 'text' | 'reasoning'; step: number; text: string }
  /** `shown`: the model receives the content, of which `chars` are the characters of a text. */
  | { type: 'file'; file: ChatFile; shown: boolean; chars?: number }
  | { type: 'call'; step: number; call: ChatCall }
  /** Token usage, as the provider reports it. */
  | { type: 'usage'; step: number; input: number; output: number }
  | { type: 'notice'; code: NoticeCode }
  /** What a model wrote of another conversation, which goes on after it. `isShortened`: the earliest messages are not in it. */
  | { type: 'summary'; text: string; from: LinkedChat; isShortened: boolean };

/** A conversation, by its id and its title. */
export type LinkedChat = { id: string; title: string };

/** How an answer ended; `asks` when it reached the limit of steps. */
export type ChatStatus = 'done' | 'running' | 'stopped' | 'failed' | 'interrupted' | 'asks';

export type ModelFault =
  | 'no-provider'
  | 'unreachable'
  /** No provider at this URL. */
  | 'address'
  | 'key'
  | 'model'
  | 'no-tools'
  | 'no-pictures'
  | 'no-system'
  /** The provider refuses how the earlier messages are sent. */
  | 'history'
  | 'context'
  | 'busy'
  | 'silent'
  | 'too-long'
  /** Too many calls in one step. */
  | 'flood'
  /** The connection was lost within the answer. */
  | 'cut'
  | 'garbage'
  | 'empty'
  | 'failed';

export type ChatMessage = {
  id: number;
  parent: number | null;
  role: 'user' | 'assistant';
  parts: readonly ChatPart[];
  status: ChatStatus;
  fault: { code: ModelFault; message: string } | null;
  /** What an answer without parts waits for, beside the model. */
  waitsFor?: 'tools' | null;
  /** Name of the model that answered. */
  model: string | null;
  at: string;
  /** Ids of the messages with the same parent, oldest first. */
  branches: readonly number[];
};

/**
 * Parameters of the model in a conversation; the model's own where they are missing. `pictures` says whether it receives those that apps
 * return; where it is missing, the provider's setting does.
 */
export type ChatParams = { temperature?: number; maxTokens?: number; pictures?: boolean };

export type ChatView = {
  id: string;
  project: string;
  title: string;
  model: ModelRef | null;
  /** Apps that are switched off in this conversation. */
  off: readonly string[];
  params?: ChatParams;
  /** Listed first. */
  pinned?: boolean;
  /** Not listed, but found by a search. A message of the user ends it. */
  archived?: boolean;
  /** In memory only: it is gone when it is closed, with the last page, or with the program. */
  temporary?: boolean;
  at: string;
  running: boolean;
};

/** Where a search found its words: a message, and the text around them. */
export type ChatMatch = { message: number; before: string; words: string; after: string };

/** An entry of the list of conversations. `match` is of a search that found more than the title. */
export type ListedChat = ChatView & { match?: ChatMatch };

/**
 * Events of conversations. `rev` numbers the changes to all answers of this run: the response of `chats.open` includes all changes up
 * to its own `rev`.
 */
export type ChatEvent =
  | { type: 'chats' }
  | { type: 'chat-message'; chat: string; rev: number; message: ChatMessage }
  | { type: 'chat-text'; chat: string; rev: number; message: number; part: number; text: string }
  /** Another branch is shown: fetch the messages again. */
  | { type: 'chat-path'; chat: string };

/** An import of conversations: how many were added, were here already, and could not be read. */
export type ImportResult = { id: string; from: string; added: number; known: number; unread: number };
