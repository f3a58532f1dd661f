import type { Footprint, PermissionDiff } from '@svc/contracts';
import type { FileCaution } from '../files/handed-file.ts';
import type { LocalCommand } from '../library/installed-app.ts';

/** A prompt to the user, as data: the client shows it and returns the answer. `html` is safe to render. */
export type Card =
  | ConnectCard
  | ApprovalCard
  | ConsentCard
  | SaveCard
  | LocalConnectorCard
  | QuestionCard
  | SamplingCard;

/** The app of a card, from its verified manifest. */
export type CardApp = { appId: string; name: string; version: string; publisher: string | null };

/** The pictures of an app: bundle hash and paths in the bundle. */
export type AppPictures = { sha256: string; icon: string; mark: string | null };

/** Pictures of the installed version, if any, and of the new one. */
export type PicturePair = { before: AppPictures | null; after: AppPictures };

/** A file that is sent or saved. */
export type CardFile = {
  name: string;
  type: string;
  bytes: number;
  /** SHA-256 of the sent bytes, in hex; an approval covers only these. */
  sha256: string;
  /** The original file, if it was converted. */
  was?: { name: string; type: string; bytes: number };
  /** Why the user is asked about this file each time. Show it. */
  caution?: FileCaution;
};

/** Asks the user to connect an account that a tool, a panel or a new install needs. */
export type ConnectCard = {
  kind: 'connect';
  app: CardApp;
  /** The permissions in the words of the publisher. Show them with the scopes, whose names are often unclear. */
  permissions: readonly string[];
  account: { id: string; label: string; scopes: readonly string[] };
  /** Host of the authorization server; null when unknown before the sign-in. */
  host: string | null;
  /** Host that issues the tokens, where it is another one than `host`. */
  tokenHost?: string;
  /** The previously agreed host, if it was another one; null when the previous card showed none. */
  formerHost?: string | null;
  /**
   * Why the token of a connected account could not be renewed, as text to show. The user can retry (`choice: 'retry'`) or sign in.
   * Undefined when the account is not connected.
   */
  outage?: string;
  /** A sign-in is in progress: accepting reopens its page. */
  isUnderWay?: true;
  /** Hash of all that the card says; the answer repeats it. */
  binding: string;
};

export type ToolEffect = 'reads' | 'changes' | 'destroys';

/**
 * Asks the user to approve a call: of a tool with `confirm`, with files, or of a model. An approval covers exactly this tool, these
 * arguments and files.
 */
export type ApprovalCard = {
  kind: 'approval';
  app: CardApp;
  tool: { id: string; name: string };
  /** Host of the MCP server. */
  server: string;
  /** The account whose token is sent. */
  account: { id: string; label: string } | null;
  title: string;
  html: string;
  action: string;
  /** Author of title, html and action. Default: the app. Attribute texts of an app to the app. */
  wordsOf?: 'client';
  arguments: Readonly<Record<string, unknown>>;
  files: readonly CardFile[];
  /** What the tool does, as its server says (MCP, tool annotations): `changes` where it says nothing. Unverified. */
  effect?: ToolEffect;
  /** The user can allow the tool for the rest of the chat: the answer then has `allowInChat`. */
  mayAllowInChat?: true;
  /** Hash of everything that is approved; the answer repeats it. */
  binding: string;
};

/** Asks the user to agree to an install, or to an update with new permissions. */
export type ConsentCard = {
  kind: 'consent';
  app: CardApp;
  permissions: readonly string[];
  footprint: Footprint;
  /** The permission changes of the update; null for a first install. */
  widened: PermissionDiff | null;
  pictures: PicturePair;
  /** The hosts of the app that are inside a private network: it runs inside the user's company. */
  inside: readonly string[];
  /** The store that published it first, and the name of the one that carries it, as both signed; absent when it is from its own store. */
  origin?: { store: string; carriedBy: string };
  /** Hash of this version and its bytes; the answer repeats it. */
  binding: string;
};

/** Asks the user to save a file of an app into the project. */
export type SaveCard = {
  kind: 'save';
  app: CardApp;
  /** Path in the project, with `/` between folders. */
  path: string;
  /** Whether it overwrites an existing file. */
  replaces: boolean;
  file: CardFile;
  binding: string;
};

/** The program or server of a local connector. */
export type LocalAccess =
  | (LocalCommand & {
      kind: 'command';
      /** Names of the environment variables that the program gets, if set. */
      environment: readonly string[];
    })
  | {
      kind: 'address';
      url: string;
      host: string;
      /** The current IP addresses of the host. No other address is ever connected to. */
      addresses: readonly string[];
      place: 'this-machine' | 'local-network';
      /** Whether the connection is encrypted. */
      isEncrypted: boolean;
    };

/**
 * Asks the user to add a connector on this machine or the local network. Show each argument separately, in quotes, and make invisible
 * characters visible. The program runs with all rights of the user.
 */
export type LocalConnectorCard = {
  kind: 'local-connector';
  app: CardApp;
  access: LocalAccess;
  /** Hash of all that the card says; the answer repeats it. */
  binding: string;
};

/** A field of a question. Texts are of the server. */
export type QuestionField = {
  name: string;
  title: string;
  description: string;
  required: boolean;
  /** `choice` takes the value of one option, `choices` a list of them. */
  type: 'string' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices';
  /** The string is a list, one value on each line, which the runtime sends as a list. */
  isList?: boolean;
  options: readonly { value: string; title: string }[];
  /** Format of a string in JSON Schema; null for any text. */
  format: 'email' | 'uri' | 'date' | 'date-time' | null;
  /** Bounds of the length of a string in characters, of a number, or of the number of choices. */
  min: number | null;
  max: number | null;
  /** Initial value. The user sees and can change it. */
  initial: FieldValue | null;
};

/** The value of a field. */
export type FieldValue = string | number | boolean | readonly string[];

/**
 * The server of an app asks the user during a call (MCP elicitation): for values, or to open a page. Mark the texts as those of the
 * server, and tell the user not to enter passwords. Accepting needs `content` for the fields; where there is a `url`, the client opens
 * it in the user's browser.
 */
export type QuestionCard = {
  kind: 'question';
  app: CardApp;
  /** Host of the server; empty for a program on this machine. */
  server: string;
  /** The tool of the call. */
  tool: string;
  message: string;
  fields: readonly QuestionField[];
  /** An https page to open; null for a form. Show all of it. */
  url: string | null;
  /**
   * What a page of the server wants (MCP Apps), where it is not the server that asks: to open `url`, to send `message` as a message of the
   * user, or to have the model read it beside the next one.
   */
  wants?: 'link' | 'message' | 'context';
  /** Hash of all that the card says; the answer repeats it. */
  binding: string;
};

/**
 * The server of a connector asks for an answer of the client's model (MCP sampling). The card is shown twice: before the model gets the
 * messages, and with `reply` before the server gets the answer.
 */
export type SamplingCard = {
  kind: 'sampling';
  app: CardApp;
  /** Host of the server; empty for a program on this machine. */
  server: string;
  /** The tool of the call. */
  tool: string;
  /** Instructions for the model, by the server; null when it gives none. */
  system: string | null;
  messages: readonly { role: 'user' | 'assistant'; text: string }[];
  maxTokens: number;
  reply: { model: string; text: string } | null;
  /** Hash of all that the card says; the answer repeats it. */
  binding: string;
};

/** The user's answer. `binding` repeats that of the card; it is optional for connect cards until version 0.2. */
export type Answer =
  | {
      accepted: true;
      binding?: string;
      /** For a connect card with an outage. Default: `sign-in`. */
      choice?: 'retry' | 'sign-in';
      /** For an approval card with `mayAllowInChat`. */
      allowInChat?: true;
      /** For a question with fields: their values, by name. */
      content?: Readonly<Record<string, FieldValue>>;
    }
  | {
      accepted: false;
      /** For a question: the user closed it without a decision. */
      dismissed?: true;
    };

/** Returns a copy of a file of a card, by its index; null for an unknown index. */
export type CardContents = (index: number) => Uint8Array<ArrayBuffer> | null;

/**
 * Shows a card. Resolves with the user's answer, and rejects when the signal is aborted.
 * @param contents the files of an approval or save card, as they will be sent; usable while the card is shown
 */
export type Ask = (card: Card, signal: AbortSignal, contents?: CardContents) => Promise<Answer>;
