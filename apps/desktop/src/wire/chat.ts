import type { Card } from '@svc/runtime';

/** A model of a provider. */
export type ModelRef = { provider: string; model: string };

/** A model provider as it is shown: whether it has a key, never the key. */
export type ProviderView = {
  id: string;
  name: string;
  baseUrl: string;
  hasKey: boolean;
  /** Models that the provider listed last. */
  models: readonly string[];
};

/** A file of a conversation: attached by the user, or returned by an app. */
export type ChatFile = {
  id: string;
  name: string;
  type: string;
  bytes: number;
  /** The app that returned it; null for an attachment. */
  appId: string | null;
};

/** A card that a call led to, as it stands. */
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
  /** What the tool answered, or why it was refused. */
  text: string;
  /** What it answered as data, where the text does not say the same. */
  structured?: Readonly<Record<string, unknown>>;
  code: string | null;
  files: readonly ChatFile[];
  ms: number | null;
  /** When its time limit ends; null while a card or a sign-in waits for the user, and once the call has ended. */
  until: string | null;
  cards: readonly ChatCard[];
};

/** What an answer says of itself: what its request left out, and why the provider ended it early. */
export type NoticeCode = 'trimmed' | 'no-tools' | 'cut' | 'filtered';

/** A piece of a message. `step` is the request to the model that it belongs to. */
export type ChatPart =
  | { type: 'text' | 'reasoning'; step: number; text: string }
  | { type: 'file'; file: ChatFile; shown: boolean }
  | { type: 'call'; step: number; call: ChatCall }
  /** Tokens that the provider says it read and wrote. */
  | { type: 'usage'; step: number; input: number; output: number }
  | { type: 'notice'; code: NoticeCode };

/** How an answer ended; `asks` when it reached the limit of steps. */
export type ChatStatus = 'done' | 'running' | 'stopped' | 'failed' | 'interrupted' | 'asks';

export type ModelFault =
  | 'no-provider'
  | 'unreachable'
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
  /** Name of the model that answered. */
  model: string | null;
  at: string;
  /** Ids of the messages with the same parent, oldest first: its branches. */
  branches: readonly number[];
};

export type ChatView = {
  id: string;
  project: string;
  title: string;
  model: ModelRef | null;
  /** Apps that are switched off in this conversation. */
  off: readonly string[];
  at: string;
  running: boolean;
};

/**
 * What pages are told of a conversation while it changes. `rev` counts the changes to all answers of this run: what `chats.open`
 * answers has every change up to its own `rev` in it.
 */
export type ChatEvent =
  | { type: 'chats' }
  | { type: 'chat-message'; chat: string; rev: number; message: ChatMessage }
  | { type: 'chat-text'; chat: string; rev: number; message: number; part: number; text: string }
  /** Other messages are shown now: ask for them again. */
  | { type: 'chat-path'; chat: string };

type Nothing = Record<string, never>;

/** What the page may ask about conversations and models. */
export type ChatCalls = {
  'chats.list': { in: { project: string; q?: string }; out: { chats: ChatView[] } };
  'chats.open': {
    in: { chat: string; before?: number };
    out: { chat: ChatView; messages: ChatMessage[]; more: boolean; rev: number };
  };
  'chats.create': { in: { project: string }; out: { chat: ChatView } };
  'chats.change': {
    in: { chat: string; title?: string; model?: ModelRef; off?: string[] };
    out: { chat: ChatView };
  };
  'chats.remove': { in: { chat: string }; out: Nothing };
  /** Files are ids of `POST /uploads`; with `show` the model gets pictures. `after` begins a branch behind a message; null is the start. */
  'chats.send': {
    in: { chat: string; text: string; files: string[]; show: boolean; after?: number | null };
    out: { message: number };
  };
  /** Asks for another answer in place of one. */
  'chats.retry': { in: { chat: string; message: number }; out: Nothing };
  /** Lets an answer that reached the limit of steps go on. */
  'chats.continue': { in: { chat: string; message: number }; out: Nothing };
  'chats.stop': { in: { chat: string }; out: Nothing };
  /** Stops one call of the answer that is written: the answer goes on with a refusal. One that has ended stays as it is. */
  'chats.stopCall': { in: { chat: string; call: string }; out: Nothing };
  /** Shows the branch of a message. */
  'chats.select': { in: { chat: string; message: number }; out: Nothing };
  'chats.export': { in: { chat: string }; out: { name: string; markdown: string } };
  'chats.prompt': { in: { project: string }; out: { text: string } };
  'chats.savePrompt': { in: { project: string; text: string }; out: Nothing };

  /** `found` are model servers that answer on this computer and are no provider yet. */
  'models.list': {
    in: Nothing;
    out: { providers: ProviderView[]; default: ModelRef | null };
  };
  'models.detect': { in: Nothing; out: { found: { name: string; baseUrl: string }[] } };
  'models.add': {
    in: { name: string; baseUrl: string; key: string | null };
    out: { provider: ProviderView };
  };
  'models.remove': { in: { provider: string }; out: Nothing };
  /** Asks the provider for its models; says why it cannot. */
  'models.test': {
    in: { provider: string };
    out: { provider: ProviderView; fault: { code: ModelFault; message: string } | null };
  };
  'models.choose': { in: ModelRef; out: Nothing };
};
