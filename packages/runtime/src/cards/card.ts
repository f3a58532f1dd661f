import type { Footprint, PermissionDiff } from '@svc/contracts';
import type { FileCaution } from '../files/handed-file.ts';
import type { LocalCommand } from '../library/installed-app.ts';

/** A prompt to the user, as data: the client shows it and returns the answer. `html` is safe to render. */
export type Card = ConnectCard | ApprovalCard | ConsentCard | SaveCard | LocalConnectorCard;

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

/** The user's answer. `binding` repeats that of the card; it is optional for connect cards until version 0.2. */
export type Answer =
  | {
      accepted: true;
      binding?: string;
      /** For a connect card with an outage. Default: `sign-in`. */
      choice?: 'retry' | 'sign-in';
      /** For an approval card with `mayAllowInChat`. */
      allowInChat?: true;
    }
  | { accepted: false };

/** Returns a copy of a file of a card, by its index; null for an unknown index. */
export type CardContents = (index: number) => Uint8Array<ArrayBuffer> | null;

/**
 * Shows a card. Resolves with the user's answer, and rejects when the signal is aborted.
 * @param contents the files of an approval or save card, as they will be sent; usable while the card is shown
 */
export type Ask = (card: Card, signal: AbortSignal, contents?: CardContents) => Promise<Answer>;
