import type { ClientIdentity } from './accounts/sign-in-client.ts';
import type { OpenBrowser } from './accounts/sign-ins.ts';
import type { BuiltInApp } from './built-in/built-in-app.ts';
import type { Ask } from './cards/card.ts';
import type { Client } from './library/client.ts';
import type { Connecting } from './network/connector.ts';
import type { PanelTokens, PickFiles } from './panels/ports.ts';
import type { System } from './platform/system.ts';
import type { StoreToken } from './store/store-reader.ts';
import type { VaultKey } from './vault/vault-key.ts';

/** What a client opens the runtime with: a folder, a store, and a way to ask. Everything else has a default. */
export type RuntimeOptions = Pick<CompleteOptions, 'folder' | 'store' | 'ask'> &
  Partial<Omit<CompleteOptions, 'client'>> & { client?: Partial<CompleteOptions['client']> };

/** The same with everything decided. */
export type CompleteOptions = {
  /** Where all is kept. Several processes may use one folder at the same time. */
  folder: string;
  /** Time and chance; those of this computer, when left out. */
  ambient: System;
  /** Address of the store, and its key when the client knows that: otherwise it is pinned on first use. */
  store: string;
  pin?: string;
  /** The token of the user for a store that members alone may read; it goes to that store and nowhere else, and only once it has asked. */
  storeToken?: StoreToken;
  /**
   * Whether apps of the store may have their servers on this machine, at the ports that they declare: for a store on this
   * machine alone.
   */
  localApps?: boolean;
  /**
   * Whether the user may add connectors that are programs of this machine, or servers of this machine or the local network. Off,
   * when left out. No store and no app ever adds one: `addLocalConnector` does, behind a card that says what runs or is reached.
   */
  localConnectors?: boolean;
  /** Reaches the store in the place of the runtime's own way. */
  fetchStore?: typeof fetch;
  /** The client; its platform and processor are those of this process, when left out. */
  client: Client & {
    name: string;
    /** Servers and panels are told it; that of this package, when left out. */
    version: string;
    /** Origin of the page in which panels are shown. */
    origin: string;
  };
  /** Apps that the client brings, such as `createMediaApp`: installed as long as it says so, and switched like any other. */
  builtIn?: readonly BuiltInApp[];
  /**
   * Where the key of the vault comes from: the first that can keep one makes a new vault. The keyring of the system, or a file
   * in the folder where there is none, when left out.
   */
  keys: readonly VaultKey[];
  /** How the client introduces itself to sign-in servers; by its name, when left out. */
  identity: ClientIdentity;
  /** Asks the person. */
  ask: Ask;
  /**
   * Opens the page of a sign-in for the user; in the browser of the system, when left out. It is told whose sign-in it is, and by a
   * signal that it is over.
   */
  openBrowser: OpenBrowser;
  pickFiles?: PickFiles;
  /** When panels get tokens; only in browsers that keep them to the hosts of their app, when left out. */
  panelTokens?: PanelTokens;
  /** Other ways to connect than those of the system: for tests, and for servers of one's own on this machine. */
  connecting?: Connecting;
  /** Told of faults of the program, after which it goes on; they are warnings of the process, when left out. */
  onFault(error: unknown): void;
};
