import type { ClientIdentity } from './accounts/oauth-client.ts';
import type { OpenBrowser } from './accounts/sign-ins.ts';
import type { BuiltInApp } from './built-in/built-in-app.ts';
import type { ServerServices } from './calls/server-requests.ts';
import type { Ask } from './cards/card.ts';
import type { LogWitnesses } from './install/logs.ts';
import type { Client } from './library/client.ts';
import type { ManagedOptions } from './managed/managed-options.ts';
import type { Connecting } from './network/connector.ts';
import type { Network } from './network/network.ts';
import type { PanelTokens, PickFiles } from './panels/ports.ts';
import type { System } from './platform/system.ts';
import type { Programs } from './programs/own-program.ts';
import type { OpenStorage } from './storage/storage.ts';
import type { StoreToken } from './store/store-reader.ts';
import type { VaultKey } from './vault/vault-key.ts';

/** How updates are installed by themselves. */
export type AutoUpdate = {
  /** Whether they are installed now; otherwise they are only looked for. Asked each time. Default: true. */
  installs?(): boolean;
  /** Whether the network is paid by volume: updates wait for another one. Default: never. */
  isMetered?(): Promise<boolean>;
};

/** Options of `openRuntime`. `folder`, `store` and `ask` are required. */
export type RuntimeOptions = Pick<CompleteOptions, 'folder' | 'store' | 'ask'> &
  Partial<Omit<CompleteOptions, 'client'>> & {
    client?: Partial<CompleteOptions['client']>;
  };

/** The options with all defaults filled in. */
export type CompleteOptions = {
  /** The folder of all state. Several processes may use one folder at the same time. */
  folder: string;
  /**
   * Opens the storage of the library, the vault and the files, such as `postgresStorage` of `@svc/runtime/postgres`, which several
   * machines may share. Default: all of it is in the folder.
   */
  storage?: OpenStorage;
  /** Clock, random bytes and timers. Default: `defaultSystem`. */
  system: System;
  /** Address of the store. */
  store: string;
  /**
   * Addresses of mirrors of the store, which `svc-store mirror` wrote: they are asked first, in this order, and the store last. What they
   * send is verified; a mirror that is away, stale or altered is left for a while (`mirror-left`, `mirror-back`). At most 10. Those of managed
   * settings replace them. Default: none.
   */
  mirrors?: readonly string[];
  /** Key of the store. Default: the key is pinned on first use. */
  pin?: string;
  /** The witnesses that must have cosigned the log of the store before a version is installed, and how many of them. Default: none. */
  logWitnesses?: LogWitnesses;
  /** The user's token for a store that only members may read. It is sent to that store only, after the store has asked for it. */
  storeToken?: StoreToken;
  /**
   * Whether apps of the store may have their servers on this machine, at the ports that they declare. Only for a store that runs
   * on this machine.
   */
  localApps?: boolean;
  /**
   * Whether the user is asked about an update that changes what steers agents: its tools, their names and descriptions. Default: false,
   * because a moderator has reviewed the change; `InstallSheet.instructions` and the outcome of an update show it.
   */
  askAboutInstructions?: boolean | (() => boolean);
  /**
   * Looks for updates every few hours while the runtime is open, and installs those that ask the user for nothing new, never while a call,
   * sign-in or panel of the app is open. Default: only `update` looks for them.
   */
  autoUpdate?: true | AutoUpdate;
  /**
   * What a company sets for this client, which users cannot change: `managedOptions` reads it from `managed.json`. The runtime enforces what
   * is about apps, connectors and updates; ask `runtime.managed` for models, agents and exports. Default: nothing.
   */
  managed?: ManagedOptions;
  /**
   * Whether the user may add connectors that are programs on this machine, or servers on this machine or the local network.
   * Default: false. Only `addLocalConnector` adds one, after a card that shows which program runs or which server is reached. A function is
   * asked each time; call `library.localConnectorsChanged` when it answers otherwise than before.
   */
  localConnectors?: boolean | (() => boolean);
  /**
   * Hosts and networks inside a company that apps may reach besides the public Internet, such as `*.corp.example` and `10.20.0.0/16`;
   * see `readPrivateNetworks`. A function is asked at every connection. Default: none.
   */
  privateNetworks?: readonly string[] | (() => readonly string[]);
  /**
   * How requests to the servers of apps, to where users sign in, and to the store leave this machine: through a proxy, or a `fetch` of the
   * client. Default: connections of this process, to addresses that are checked.
   */
  network?: Network;
  /** The fetch for requests to the store. Default: that of `network`, or the runtime's own. */
  fetchStore?: typeof fetch;
  /** The client. Default platform and architecture: those of this process. */
  client: Client & {
    name: string;
    /** Sent to servers and panels. Default: the version of this package. */
    version: string;
    /** Origin of the page in which panels are shown. */
    origin: string;
  };
  /** Apps that the client brings, such as `createMediaApp`. They are installed while they are listed here; the user can switch them off. */
  builtIn?: readonly BuiltInApp[];
  /**
   * Where the key of the vault is stored. The first one that can store a key creates the vault. Default: the keyring of the
   * operating system, or a file in the folder where there is none.
   */
  keys: readonly VaultKey[];
  /** The client's identity at authorization servers. Default: its name. */
  identity: ClientIdentity;
  /** Shows a card to the user and resolves with the answer. */
  ask: Ask;
  /**
   * Opens the page of a sign-in for the user. Default: in the system's browser. It gets the app and account of the sign-in, and a
   * signal that is aborted when the sign-in ends.
   */
  openBrowser: OpenBrowser;
  /** What the client can do for the servers of connectors, where the user allows it: have its model answer, and name folders. */
  services?: ServerServices;
  pickFiles?: PickFiles;
  /** When panels get tokens. Default: only in browsers that confine a panel to the hosts of its app. */
  panelTokens?: PanelTokens;
  /**
   * Where the programs are that the runtime runs in processes of their own. Needed only in a client that is bundled into other files;
   * `openRuntime` throws a TypeError where it finds none.
   */
  programs?: Programs;
  /** Replaces the system's name lookup and connections, for tests and for servers on this machine. */
  connecting?: Connecting;
  /** Receives faults of the runtime that no caller gets. Default: warnings of the process. */
  onFault(error: unknown): void;
};
