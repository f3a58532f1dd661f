import type { Card } from '@svc/runtime';

export type ModelRef = { provider: string; model: string };

/** A model provider, without its key. */
export type ProviderView = {
  id: string;
  name: string;
  baseUrl: string;
  hasKey: boolean;
  /** Models in the provider's last list, after those that the user typed. */
  models: readonly string[];
  /** Models that the user typed, for providers that list none. */
  typed?: readonly string[];
  /** What the provider says of its models. */
  facts?: Readonly<Record<string, ModelFacts>>;
};

/** The context of a model in tokens, and its price in US dollars for a million tokens. */
export type ModelFacts = { context?: number; price?: { input: number; output: number } };

/** A file of a conversation: attached by the user, or returned by an app. */
export type ChatFile = {
  id: string;
  name: string;
  type: string;
  bytes: number;
  /** The app that returned it; null for an attachment. */
  appId: string | null;
};

/** A file of a message to send: an id of `POST /uploads` or of the draft. */
export type SentFile = { id: string; shown: boolean; text: string | null };

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
  cards: readonly ChatCard[];
};

/** Notices in an answer: what its request left out, or why the provider ended it early. */
export type NoticeCode = 'trimmed' | 'no-tools' | 'cut' | 'filtered';

/** A part of a message. `step` is the number of its request to the model. */
export type ChatPart =
  | { type: 'text' | 'reasoning'; step: number; text: string }
  /** `shown`: the model receives the content, of which `chars` are the characters of a text. */
  | { type: 'file'; file: ChatFile; shown: boolean; chars?: number }
  | { type: 'call'; step: number; call: ChatCall }
  /** Token usage, as the provider reports it. */
  | { type: 'usage'; step: number; input: number; output: number }
  | { type: 'notice'; code: NoticeCode };

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
  | 'context'
  | 'busy'
  | 'silent'
  | 'too-long'
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

/** Parameters of the model in a conversation; the model's own where they are missing. */
export type ChatParams = { temperature?: number; maxTokens?: number };

export type ChatView = {
  id: string;
  project: string;
  title: string;
  model: ModelRef | null;
  /** Apps that are switched off in this conversation. */
  off: readonly string[];
  params?: ChatParams;
  at: string;
  running: boolean;
};

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

type Nothing = Record<string, never>;

/** Calls about conversations and models. */
export type ChatCalls = {
  'chats.list': { in: { project: string; q?: string }; out: { chats: ChatView[] } };
  'chats.open': {
    in: { chat: string; before?: number };
    out: { chat: ChatView; messages: ChatMessage[]; more: boolean; rev: number };
  };
  'chats.create': { in: { project: string }; out: { chat: ChatView } };
  'chats.change': {
    in: { chat: string; title?: string; model?: ModelRef; off?: string[]; params?: ChatParams };
    out: { chat: ChatView };
  };
  'chats.remove': { in: { chat: string }; out: Nothing };
  /**
   * Sends a message. The model receives the content of files that are `shown`: images, and others as `text`. `after` starts a branch after a
   * message; null is the start.
   */
  'chats.send': {
    in: { chat: string; text: string; files: SentFile[]; after?: number | null };
    out: { message: number };
  };
  /** What the user wrote and attached without sending it, in a conversation or for a new one. */
  'chats.draft': {
    in: { project: string; chat?: string };
    out: { draft: { text: string; files: ChatFile[]; after?: number | null } };
  };
  /** Files are ids of `POST /uploads`, or of the draft. */
  'chats.saveDraft': {
    in: { project: string; chat?: string; text: string; files: string[]; after?: number | null };
    out: Nothing;
  };
  /** Requests another answer. */
  'chats.retry': { in: { chat: string; message: number }; out: Nothing };
  /** Continues an answer that reached the step limit. */
  'chats.continue': { in: { chat: string; message: number }; out: Nothing };
  'chats.stop': { in: { chat: string }; out: Nothing };
  /** Stops one call of a running answer, which continues with a refusal. Has no effect on a finished call. */
  'chats.stopCall': { in: { chat: string; call: string }; out: Nothing };
  /** Makes a call of an answer once more, and has the model answer again from there, as a branch. */
  'chats.retryCall': { in: { chat: string; message: number; call: string }; out: Nothing };
  /** Shows the branch of a message. */
  'chats.select': { in: { chat: string; message: number }; out: Nothing };
  'chats.export': { in: { chat: string }; out: { name: string; markdown: string } };
  'chats.prompt': { in: { project: string }; out: { text: string } };
  'chats.savePrompt': { in: { project: string; text: string }; out: Nothing };

  /** `found` are model servers that respond on this computer and are not configured yet. */
  'models.list': {
    in: Nothing;
    out: { providers: ProviderView[]; default: ModelRef | null };
  };
  'models.detect': { in: Nothing; out: { found: { name: string; baseUrl: string }[] } };
  /** Asks a provider before it is saved: for its models, and for a word of one of them. `provider` has the key if none is given. */
  'models.check': {
    in: { baseUrl: string; key: string | null; provider?: string; model?: string };
    out: { models: string[]; fault: { code: ModelFault; message: string } | null };
  };
  'models.add': {
    in: { name: string; baseUrl: string; key: string | null; model?: string };
    out: { provider: ProviderView };
  };
  /** Without `key` the stored one stays, unless the address is of another origin. */
  'models.edit': {
    in: { provider: string; name: string; baseUrl: string; key?: string | null; model?: string };
    out: { provider: ProviderView };
  };
  /** Moves a provider up or down in the lists. */
  'models.move': { in: { provider: string; by: -1 | 1 }; out: Nothing };
  'models.remove': { in: { provider: string }; out: Nothing };
  /** Requests the models of a provider; `fault` says why that failed. */
  'models.test': {
    in: { provider: string };
    out: { provider: ProviderView; fault: { code: ModelFault; message: string } | null };
  };
  'models.choose': { in: ModelRef; out: Nothing };
};
