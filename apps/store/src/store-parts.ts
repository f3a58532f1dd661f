import type { StoreKey } from '@svc/contracts';
import type { SigningKey } from '@svc/signing';
import type { Stores } from './adapters/database/stores.ts';
import type { Docs } from './docs/site/read-docs.ts';
import type { AccessRuleBook } from './domain/identity/access-rules.ts';
import type { ModerationPolicy } from './moderation/routes.ts';
import type { Readiness } from './operations/readiness.ts';
import type { Providers } from './people/provider.ts';
import type { Previews } from './pictures/previews.ts';
import type { Rasters } from './pictures/rasters.ts';
import type { BlobStore } from './platform/blob-store.ts';
import type { Brand } from './platform/brand.ts';
import type { ChangeMark } from './platform/change-mark.ts';
import type { JobNotes } from './platform/job-notes.ts';
import type { Probes } from './platform/probe.ts';
import type { SafeRenderer } from './platform/renderer.ts';
import type { Mac } from './platform/secret.ts';
import type { Clock, Log, RandomBytes, RequestLog, UnitOfWork } from './platform/system.ts';
import type { Telemetry } from './platform/telemetry.ts';
import type { InvitationLinks } from './publishers/invitations/link.ts';
import type { Sites } from './publishers/site.ts';
import type { UploadBounds } from './publishing/bounds.ts';
import type { BundleInspector } from './publishing/lanes.ts';
import type { ReviewPolicy } from './publishing/route-review.ts';
import type { Settings } from './settings.ts';
import type { WebFiles } from './web/read-web-files.ts';

/** Everything a store is made of, its settings too; `main.ts` brings the real things, tests bring their own. */
export type StoreParts = Omit<Settings, 'providers'> & {
  /** What it calls itself, with its logo. */
  brand: Brand;
  stores: Stores;
  /** Who may sign up, publish and read. */
  accessRules: AccessRuleBook;
  /** What the link to `/setup` holds. */
  setupKey: string;
  unitOfWork: UnitOfWork<Stores>;
  changeMark: ChangeMark;
  blobs: BlobStore;
  signingKey: SigningKey;
  /** All keys of the store, oldest first; the last one is that of `signingKey`. */
  keyChain: readonly StoreKey[];
  clock: Clock;
  random: RandomBytes;
  /** This process, among those of the store. */
  processName: string;
  /** A fresh unique name. */
  newId(): string;
  log: Log;
  logRequest: RequestLog;
  /** Where requests are told too; nowhere, when left out. */
  telemetry?: Telemetry;
  inspector: BundleInspector;
  /** What uploads may take of this process. */
  uploadBounds: UploadBounds;
  policy: ReviewPolicy & ModerationPolicy;
  /** The websites of publishers. */
  sites: Sites;
  invitationLinks: InvitationLinks;
  /** Under what installations are known. */
  installMac: Mac;
  /** What makes links for people unforgeable. */
  personLinks: { resetMac: Mac; confirmMac: Mac };
  /** Whether mails reach anybody, and do not only stand in the log. */
  sendsMail: boolean;
  webFiles: WebFiles;
  /** Under what addresses the store's own scripts are served, by their names. */
  staticAddresses: ReadonlyMap<string, string>;
  /** The documents of the repository. */
  openDocs(): Promise<Docs>;
  /** By whom people are vouched for when they sign in. */
  providers: Providers;
  /** What the store cannot do without, by name. */
  probes: Probes;
  /** When the jobs of this process were last done. */
  jobs: JobNotes;
  readiness: Readiness;
  /** Makes HTML of READMEs, changelogs and reviews. */
  renderer: SafeRenderer;
  /** The pictures of apps as pages show them. */
  rasters: Rasters;
  /** The pictures that chats show of links. */
  previews: Previews;
  /** How long a page of the catalogue may be served though something has changed, in milliseconds. */
  pageGraceMs: number;
};
