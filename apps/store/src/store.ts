import type { BlockList } from 'node:net';
import { LIMITS, type SettingsInForce, type StoreKey } from '@svc/contracts';
import type { SigningKey } from '@svc/signing';
import { Hono } from 'hono';
import { type AnswerFromMemory, answerFromMemory } from './access/answer-from-memory.ts';
import { bindRoutes } from './access/bind-route.ts';
import type { Env } from './access/context.ts';
import { answerRefusal, onError } from './access/envelope.ts';
import { observe } from './access/observe.ts';
import type { Stores } from './adapters/database/stores.ts';
import { auditRoutes } from './audit/routes.ts';
import { createEntryCache } from './catalog/entry-cache.ts';
import { catalogRoutes } from './catalog/routes.ts';
import { docsRoutes } from './docs/routes.ts';
import type { Docs } from './docs/site/read-docs.ts';
import type { VersionRef } from './domain/versions/version-store.ts';
import { createClientAddress } from './http/client-address.ts';
import { createCookies } from './http/cookies.ts';
import type { EncodedPage } from './http/encoded-page.ts';
import { createInstallNotes } from './installs/note-install.ts';
import { type ModerationPolicy, moderationRoutes } from './moderation/routes.ts';
import type { Readiness } from './operations/readiness.ts';
import { operationsRoutes } from './operations/routes.ts';
import { createPasswordHasher } from './people/password.ts';
import type { Providers } from './people/provider.ts';
import { peopleRoutes } from './people/routes.ts';
import { setupLink } from './people/setup.ts';
import type { Rasters } from './pictures/rasters.ts';
import type { Clock, Log, RandomBytes, UnitOfWork } from './platform/ambient.ts';
import type { BlobStore } from './platform/blob-store.ts';
import type { JobNotes } from './platform/job-notes.ts';
import { linkIssues } from './platform/link-issues.ts';
import { createMetrics } from './platform/metrics.ts';
import { createPageCache } from './platform/page-cache.ts';
import type { Probes } from './platform/probe.ts';
import { Refusal } from './platform/refusal.ts';
import type { SafeRenderer } from './platform/renderer.ts';
import { createSeal, type Seal } from './platform/secret.ts';
import { ownAppsRoutes } from './publishers/apps/routes.ts';
import type { InvitationLinks } from './publishers/invitations/link.ts';
import { publisherRoutes } from './publishers/routes.ts';
import type { Sites } from './publishers/site.ts';
import type { UploadBounds } from './publishing/bounds.ts';
import type { BundleInspector } from './publishing/lanes.ts';
import type { ReviewPolicy } from './publishing/route-review.ts';
import { publishingRoutes } from './publishing/routes.ts';
import { ratingRoutes } from './ratings/routes.ts';
import { relayRoutes } from './relay/routes.ts';
import { keepBeside } from './revocations/kept-list.ts';
import { createRevocationList } from './revocations/revocation-list.ts';
import { revocationRoutes } from './revocations/routes.ts';
import { storefrontRoutes } from './storefront/routes.ts';
import { deviceRoutes } from './tokens/device-routes.ts';
import { createUseNotes } from './tokens/note-use.ts';
import { tokenRoutes } from './tokens/routes.ts';
import type { WebFiles } from './web/read-web-files.ts';
import { webRoutes } from './web/routes.ts';

/** Everything a store is made of; `main.ts` brings the real things, tests bring their own. */
export type StoreParts = {
  stores: Stores;
  unitOfWork: UnitOfWork<Stores>;
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
  baseUrl: string;
  adminToken: string | null;
  /** The proxies before the store whose `X-Forwarded-For` is believed. */
  trustedProxies: BlockList;
  inspector: BundleInspector;
  /** What uploads may take of this process. */
  uploadBounds: UploadBounds;
  policy: ReviewPolicy & ModerationPolicy;
  /** Names that neither apps nor publishers may carry, beside the service's own. */
  reservedNames: readonly string[];
  /** Whether apps may have their servers on localhost, as the store has. */
  localApps: boolean;
  /** The websites of publishers. */
  sites: Sites;
  invitationLinks: InvitationLinks;
  /** Under what installations are known. */
  installSeal: Seal;
  /** What makes links for people unforgeable. */
  personLinks: { resetSeal: Seal; confirmSeal: Seal };
  /** Whether mails reach anybody, and do not only stand in the log. */
  sendsMail: boolean;
  webFiles: WebFiles;
  /** Under what addresses the store's own scripts are served, by their names. */
  staticAddresses: ReadonlyMap<string, string>;
  /** The documents of the repository. */
  docs: Docs;
  /** By whom people are vouched for when they sign in. */
  providers: Providers;
  /** What the store cannot do without, by name. */
  probes: Probes;
  /** When the jobs of this process were last done. */
  jobs: JobNotes;
  /** As administrators may see them. */
  settingsInForce: SettingsInForce['settings'];
  readiness: Readiness;
  /** Makes HTML of READMEs, changelogs and reviews. */
  renderer: SafeRenderer;
  /** The pictures of apps as pages show them. */
  rasters: Rasters;
  /** How long a page of the catalogue may be served though something has changed, in milliseconds. */
  pageRestMs: number;
};

const versionUrl = (api: string, { appId, version }: VersionRef): string =>
  `${api}/apps/${encodeURIComponent(appId)}/versions/${encodeURIComponent(version)}`;

const fileUrl = (api: string, ref: VersionRef, path: string): string =>
  `${versionUrl(api, ref)}/files/${path.split('/').map(encodeURIComponent).join('/')}`;

/** The store as one HTTP application. It holds no socket: `listen` gives it one. */
export function createStore(parts: StoreParts): {
  app: Hono<Env>;
  answerFromMemory: AnswerFromMemory;
  /** Brings the revocation list up to date. Never fails. */
  renewRevocations(): Promise<void>;
  /** Writes down which tokens were used. */
  writeUses(): Promise<void>;
  /** Counts the downloads that were taken up. */
  writeInstalls(): Promise<void>;
  /** Where the first administrator is made; null once there is one. */
  setupLink(): Promise<string | null>;
} {
  const { stores, baseUrl, signingKey, clock } = parts;
  const api = `${baseUrl}/api`;
  const lifetimeMs = LIMITS.catalog.cacheSeconds * 1000;
  const pages = createPageCache<EncodedPage>(clock, { lifetimeMs, restMs: parts.pageRestMs });
  // One app is soon made anew, and whoever has published it looks at it next.
  const details = createPageCache<EncodedPage>(clock, { lifetimeMs, restMs: 0 });
  const metrics = createMetrics({ withProcess: true });
  const { blobs } = parts;
  const revocationList = createRevocationList({
    ...parts,
    keepBeside: (list) => keepBeside(blobs, signingKey, list),
  });
  const uses = createUseNotes(parts);
  const installNotes = createInstallNotes(parts);
  const deps = {
    ...parts,
    ...stores,
    pages,
    details,
    entries: createEntryCache(),
    metrics,
    clientAddress: createClientAddress(parts.trustedProxies),
    cookies: createCookies(baseUrl),
    noteUse: uses.noteUse,
    ...installNotes,
    passwordHasher: createPasswordHasher(),
    hasProviders: parts.providers.size > 0,
    ...parts.personLinks,
    setupSeal: createSeal(signingKey.privateKey, 'setup link'),
    revocationList,
    linkIssues: linkIssues(baseUrl),
    publicKey: { keyId: signingKey.keyId, publicKeyPem: signingKey.publicKeyPem },
    statusUrl: (ref: VersionRef) => `${versionUrl(api, ref)}/status`,
    reviewBundleUrl: (ref: VersionRef) => `${versionUrl(`${api}/moderation`, ref)}/bundle`,
    addresses: {
      bundle: (ref: VersionRef) => `${versionUrl(api, ref)}/bundle`,
      file: (ref: VersionRef, path: string) => fileUrl(api, ref, path),
    },
  };
  const app = new Hono<Env>();
  app.use(
    observe({
      ...deps,
      onChange: () => {
        pages.outdate();
        details.outdate();
      },
    }),
  );
  app.onError(onError(deps));
  app.notFound((c) =>
    answerRefusal(
      c,
      new Refusal('not_found', 'There is nothing at this address; /api/docs describes what there is.'),
    ),
  );
  bindRoutes(app, deps, {
    ...catalogRoutes(deps),
    ...storefrontRoutes(deps),
    ...ratingRoutes(deps),
    ...publishingRoutes(deps),
    ...revocationRoutes(deps),
    ...moderationRoutes(deps),
    ...publisherRoutes(deps),
    ...ownAppsRoutes(deps),
    ...tokenRoutes(deps),
    ...deviceRoutes(deps),
    ...peopleRoutes(deps),
    ...auditRoutes(deps),
    ...relayRoutes(deps),
    ...docsRoutes(deps),
    ...webRoutes(deps),
    ...operationsRoutes(deps),
  });
  return {
    app,
    answerFromMemory: answerFromMemory(deps),
    renewRevocations: revocationList.renew,
    writeUses: uses.writeUses,
    writeInstalls: installNotes.writeInstalls,
    setupLink: () => setupLink(deps),
  };
}
