import type {
  AppDetail,
  CatalogEntry,
  CatalogQuery,
  ExtensionName,
  LogProof,
  ReviewOrder,
  RoutesOf,
  StoreHealth,
} from '@svc/contracts';
import type { Html } from '../../http/html.ts';
import type { Letters } from '../domain/mail/letter.ts';
import type { ExtensionCommand, GivenArgs } from '../domain/parts/extension-command.ts';
import type { Hooks } from '../domain/parts/parts.ts';
import type { ServerFound } from '../domain/tools/served.ts';
import type { VersionRef } from '../domain/versions/version-record.ts';
import type { Handlers } from './bind-route.ts';

/** The position of the lists of an extension on the page of an app. */
type Positions = { reviews?: string | undefined; sort?: ReviewOrder | undefined };

/** The orders and facets that the pages of the catalogue offer only if an extension does. Queries with them stay valid without it. */
export const OFFERS = ['rating', 'rated-4'] as const;

export type Offer = (typeof OFFERS)[number];

/** Another form of a page. @see https://html.spec.whatwg.org/#rel-alternate */
export type Alternate = { type: string; title: string; href: string };

/** A page with downloads of the client, and the systems that they are for, as people call them. */
export type ClientDownload = { path: string; systems: readonly string[] };

/** What an extension adds to the pages of the catalogue. */
export type Additions = {
  /** What is known about the server of a version. */
  serverOf?(version: VersionRef): Promise<ServerFound>;
  /** Creates a section of the page of an app. @throws ApiError invalid_request for an invalid cursor */
  appSection?(app: AppDetail, positions: Positions): Promise<Html>;
  /** Other forms of a page, which its head names. */
  alternates?: {
    catalogue(): readonly Alternate[];
    app(app: Pick<AppDetail, 'appId' | 'name'>): readonly Alternate[];
    publisher(publisher: { slug: string; name: string }): readonly Alternate[];
  };
  /** A link below the facts of an app. */
  appLink?(appId: string): { path: string; label: string };
  /** Orders and facets of the catalogue that only the extension gives a meaning. */
  offers?: readonly Offer[];
  /** Proves that a version is in the log of the store. @param since the size of the log that the client knows */
  proveVersion?(ref: { appId: string; version: string }, since: number): Promise<LogProof>;
  /** How the log of the store is. */
  logHealth?(): Promise<NonNullable<StoreHealth['log']>>;
  /** The apps that come before all others on the first page. */
  featured?(): Promise<CatalogEntry[]>;
  /** Links for `llms.txt`, in Markdown: for agents and clients, for publishers, or among the feeds. */
  llms?(baseUrl: string): { clients?: string; publishers?: readonly string[]; feeds?: string };
  /** Where a client without Node is downloaded, and for which systems; null while there is none. */
  clientDownload?(): Promise<ClientDownload | null>;
  /** A row of apps at the front page: those that come first in an order. */
  shelf?: { title: string; sort: NonNullable<CatalogQuery['sort']> };
};

/** Work that an extension repeats. */
export type Job = {
  /** What the log and the page of the store's health call it. */
  what: string;
  /** Seconds to the first run, and from the end of one run to the beginning of the next. */
  seconds: readonly [number, number];
  work(signal?: AbortSignal): Promise<unknown>;
  /** Waits for what the work began and did not wait for. */
  idle?(): Promise<void>;
};

/** The handlers of all routes of an extension. */
export type HandlersOf<Name extends ExtensionName> = Required<Pick<Handlers, RoutesOf<Name>>>;

/** An extension on the parts of one store. Only its hooks and letters are used while the operator has switched it off. */
export type OpenExtension = {
  routes: Handlers;
  hooks?: Partial<Hooks>;
  /** The mails that it sends. */
  letters?: Letters;
  jobs?: readonly Job[];
  additions?: Additions;
  /** Commands that need all parts of the store, by their names. Nothing else of the store runs in their process. */
  commands?: Readonly<Record<string, (args: GivenArgs) => Promise<string>>>;
  /** The path that a request means, for clients that write those of the extension in another way. It is called for each request. */
  pathOf?(path: string): string;
};

/**
 * A part of the store that can be left out: one folder of `extensions/`, which exports one of these. `composition/extensions.ts` lists them
 * all. The core imports none; an extension imports the core, and no other extension.
 */
export type Extension<Parts> = {
  readonly name: ExtensionName;
  readonly open: (parts: Parts) => OpenExtension;
  readonly commands?: readonly ExtensionCommand[];
};
