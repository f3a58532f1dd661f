import type { Footprint, PermissionDiff } from '@svc/contracts';
import type { LocalCommand } from '../library/installed-app.ts';

/** A question to the person, as data: the client draws it, and answers. Text marked `html` is safe to show as it is. */
export type Card = ConnectCard | ApprovalCard | ConsentCard | SaveCard | LocalConnectorCard;

/** Which app asks, as its verified manifest names it. */
export type CardApp = { appId: string; name: string; version: string; publisher: string | null };

/** Where the pictures of an app are: in which bundle on this computer, at which paths. */
export type AppPictures = { sha256: string; icon: string; mark: string | null };

/** Pictures of the version that is installed, if any, and of the one that is to be. */
export type PicturePair = { before: AppPictures | null; after: AppPictures };

/** A file that is sent or saved, as it is then. */
export type CardFile = {
  name: string;
  type: string;
  bytes: number;
  /** Of the bytes that are sent, in hex: an approval counts for these alone. */
  sha256: string;
  /** What it was before it was prepared; left out for a file that is sent as it was handed over. */
  was?: { name: string; type: string; bytes: number };
};

/** A tool, a panel or the install needs an account that is not connected. */
export type ConnectCard = {
  kind: 'connect';
  app: CardApp;
  /** What the app may do, in the words of its publisher: shown beside the scopes, whose names say little. */
  permissions: readonly string[];
  account: { id: string; label: string; scopes: readonly string[] };
  /** Host of the authorization server, when it is known before the sign-in. */
  host: string | null;
  /** The host that the user agreed to before, when it was another one; null when the card before this one named none. */
  formerHost?: string | null;
  /**
   * Why there is no fresh token although the account is connected, in words to show: the authorization server gives none at the
   * moment. The user can try again (`choice: 'retry'`) or sign in. Left out when the account is not connected.
   */
  outage?: string;
  /** A sign-in waits for the user already: yes opens its page again. */
  isUnderWay?: true;
  /** Hash of all that the card says; the answer repeats it. */
  binding: string;
};

/** A tool with `confirm` wants to run. An approval counts for exactly this tool, these arguments and these files. */
export type ApprovalCard = {
  kind: 'approval';
  app: CardApp;
  tool: { id: string; name: string };
  /** Host of the MCP server that is called. */
  server: string;
  /** The account whose token the call carries. */
  account: { id: string; label: string } | null;
  title: string;
  html: string;
  action: string;
  /** Whose words title, text and action are: the app's, when it is left out. Show those of an app as the app's. */
  wordsOf?: 'client';
  arguments: Readonly<Record<string, unknown>>;
  files: readonly CardFile[];
  /** Hash of all that is approved; the answer repeats it. */
  binding: string;
};

/** An app is to be installed, or an update changes what was agreed to. */
export type ConsentCard = {
  kind: 'consent';
  app: CardApp;
  permissions: readonly string[];
  footprint: Footprint;
  /** What the update changes about what was agreed to; null at the first install. */
  widened: PermissionDiff | null;
  pictures: PicturePair;
  /** Of exactly this version and its bytes; the answer repeats it. */
  binding: string;
};

/** An app wants to save a file into the project. */
export type SaveCard = {
  kind: 'save';
  app: CardApp;
  /** Where in the project, with `/` between folders. */
  path: string;
  /** Whether there is such a file already, which will be gone. */
  replaces: boolean;
  file: CardFile;
  binding: string;
};

/** What a local connector runs or reaches. */
export type LocalAccess =
  | (LocalCommand & {
      kind: 'command';
      /** Names of all environment variables that the program sees, of those that are set. */
      environment: readonly string[];
    })
  | {
      kind: 'address';
      url: string;
      host: string;
      /** The IP addresses that the host leads to now. No other is ever connected to. */
      addresses: readonly string[];
      place: 'this-machine' | 'local-network';
      /** Whether what is sent is encrypted. */
      isEncrypted: boolean;
    };

/**
 * The user adds a connector on this machine or the local network. Show every argument apart from the others, in quotes, and name
 * characters that cannot be seen. The program runs as the user, with all that the user may do.
 */
export type LocalConnectorCard = {
  kind: 'local-connector';
  app: CardApp;
  access: LocalAccess;
  /** Hash of all that the card says; the answer repeats it. */
  binding: string;
};

/** What the person said. It repeats the binding of the card; of a connect card it may be left out until version 0.2. */
export type Answer =
  | {
      accepted: true;
      binding?: string;
      /** Of a connect card with an outage: to try again, or to sign in, as when it is left out. */
      choice?: 'retry' | 'sign-in';
    }
  | { accepted: false };

/** A copy of the bytes of a card's file, by its place in the card's list; null for a place without one. */
export type CardContents = (index: number) => Uint8Array<ArrayBuffer> | null;

/**
 * How the client asks. It resolves when the person answers, and rejects when the signal is aborted.
 * @param contents the files of an approval or of a save card, as they will be sent: show them while the card is shown
 */
export type Ask = (card: Card, signal: AbortSignal, contents?: CardContents) => Promise<Answer>;
