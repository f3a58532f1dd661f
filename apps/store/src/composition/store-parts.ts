import type { StoreKey } from '@svc/contracts';
import type { Stores } from '../adapters/database/stores.ts';
import type { Parts } from '../domain/parts/parts.ts';
import type { Docs } from '../features/docs/site/read-docs.ts';
import type { ModerationPolicy } from '../features/moderation/routes.ts';
import type { Readiness } from '../features/operations/readiness.ts';
import type { Argon2 } from '../features/people/password.ts';
import type { Providers } from '../features/people/provider.ts';
import type { Previews } from '../features/pictures/previews.ts';
import type { Rasters } from '../features/pictures/rasters.ts';
import type { InvitationLinks } from '../features/publishers/invitations/link.ts';
import type { Sites } from '../features/publishers/site.ts';
import type { Attest } from '../features/publishing/attest.ts';
import type { UploadBounds } from '../features/publishing/bounds.ts';
import type { BundleInspector } from '../features/publishing/inspection-queues.ts';
import type { ReviewPolicy } from '../features/publishing/route-review.ts';
import type { WebFiles } from '../features/web/read-web-files.ts';
import type { Brand } from '../platform/brand.ts';
import type { JobTracker } from '../platform/job-tracker.ts';
import type { Faults, ServerCheckCounts } from '../platform/metrics.ts';
import type { Probes } from '../platform/probe.ts';
import type { Mac } from '../platform/secret.ts';
import type { RequestLog, UnitOfWork } from '../platform/system.ts';
import type { Telemetry } from '../platform/telemetry.ts';
import type { Settings } from './settings.ts';

/** The shared parts that are created before the store. */
type Given =
  | 'accessRules'
  | 'blobs'
  | 'changeMark'
  | 'clock'
  | 'log'
  | 'newId'
  | 'processName'
  | 'random'
  | 'renderer'
  | 'signingKey';

/** All parts of a store, with its settings. `main.ts` passes the real ones, tests pass their own. */
export type StoreParts = Omit<Settings, 'providers'> &
  Pick<Parts, Given> & {
    /** The name and the logo of the store. */
    brand: Brand;
    stores: Stores;
    /** The secret in the link to `/setup`. */
    setupKey: string;
    unitOfWork: UnitOfWork<Stores>;
    /** All keys of the store, oldest first; the last one is the public key of `signingKey`. */
    keyChain: readonly StoreKey[];
    logRequest: RequestLog;
    serverChecks?: ServerCheckCounts;
    /** What the metrics report of this process; zeros when omitted. */
    faults?: Faults;
    /** Receives each request; none when omitted. */
    telemetry?: Telemetry;
    inspector: BundleInspector;
    /** The library of slow hashes; the real one when omitted. */
    argon2?: () => Promise<Argon2>;
    /** The limits of uploads in this process. */
    uploadBounds: UploadBounds;
    policy: ReviewPolicy & ModerationPolicy & Pick<Settings, 'emergencyInstalls' | 'toolDrift'>;
    /** Verifies the attestations of bundles. */
    attest: Attest;
    /** The websites of publishers. */
    sites: Sites;
    invitationLinks: InvitationLinks;
    /** The MAC that makes installation ids pseudonymous. */
    installMac: Mac;
    /** The MACs of links that are mailed to users, and of the cookies of known browsers and of ceremonies. */
    personLinks: {
      resetMac: Mac;
      confirmMac: Mac;
      unsubscribeMac: Mac;
      addressMac: Mac;
      browserMac: Mac;
      ceremonyMac: Mac;
    };
    /** Whether mails are sent, and not only logged. */
    sendsMail: boolean;
    webFiles: WebFiles;
    /** The addresses of the store's own scripts, by name. */
    staticAddresses: ReadonlyMap<string, string>;
    /** Opens the documentation of the repository. */
    openDocs(): Promise<Docs>;
    /** The identity providers that users sign in with. */
    providers: Providers;
    /** The probes of the required dependencies, by name. */
    probes: Probes;
    /** When the jobs of this process last ran. */
    jobs: JobTracker;
    readiness: Readiness;
    /** The pictures of apps as pages show them. */
    rasters: Rasters;
    /** The preview images of links in chats. */
    previews: Previews;
    /** How long after a change a page of the catalogue may still be served, in milliseconds. */
    pageGraceMs: number;
  };
