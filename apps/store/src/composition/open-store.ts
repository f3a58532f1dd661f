import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { AccessRules } from '@svc/contracts';
import { withLiveCallers } from '../access/acting.ts';
import { migrate } from '../adapters/database/migrations.ts';
import { createStores, createUnitOfWork, type Stores } from '../adapters/database/stores.ts';
import { databaseIn, restoringIn } from '../adapters/disk/data-folder.ts';
import { openDiskBlobStore } from '../adapters/disk/disk-blob-store.ts';
import { openFolderDurably, syncFolder } from '../adapters/disk/durable-file.ts';
import { openRasterFolder } from '../adapters/disk/raster-folder.ts';
import { createLogTransport } from '../adapters/mail/log-transport.ts';
import { openS3BlobStore } from '../adapters/s3/s3-blob-store.ts';
import { createServerLister } from '../adapters/servers/list-tools.ts';
import type { Fetch } from '../adapters/sign-in/provider-client.ts';
import { openSqlite } from '../adapters/sqlite/open-sqlite.ts';
import { watchChanges } from '../adapters/sqlite/watch-changes.ts';
import { createWorkerRenderer } from '../adapters/worker/worker-renderer.ts';
import { openAccessRules } from '../domain/identity/access-rules.ts';
import type { ServerLister } from '../domain/tools/server-lister.ts';
import { openInstallMac } from '../features/installs/install-mac.ts';
import type { MailTransport } from '../features/mail/mail-transport.ts';
import { sendMails } from '../features/mail/send-mails.ts';
import { cannedReasons } from '../features/moderation/canned-reasons.ts';
import { tellModerators } from '../features/moderation/tell-moderators.ts';
import { purgeExpired } from '../features/operations/purge-expired.ts';
import { createReadiness } from '../features/operations/readiness.ts';
import { mailedLinks } from '../features/people/mailed-links.ts';
import type { Argon2 } from '../features/people/password.ts';
import type { Providers } from '../features/people/provider.ts';
import { isSsoOnly } from '../features/people/provider-access.ts';
import { createPreviews } from '../features/pictures/previews.ts';
import { createRasters } from '../features/pictures/rasters.ts';
import { invitationLinks } from '../features/publishers/invitations/link.ts';
import { recheckWebsites } from '../features/publishers/recheck-websites.ts';
import type { Sites } from '../features/publishers/site.ts';
import { openAttestations } from '../features/publishing/attest.ts';
import { type OwnerDeps, ownsBlobs, wrongBlobs } from '../features/publishing/blob-owner.ts';
import { UPLOAD_BOUNDS, type UploadBounds } from '../features/publishing/bounds.ts';
import type { BundleInspector } from '../features/publishing/inspection-queues.ts';
import { resumeVersions } from '../features/publishing/resume.ts';
import { sweepOrphans } from '../features/publishing/sweep-orphans.ts';
import { restoreRevocations } from '../features/revocations/kept-list.ts';
import { probeServers } from '../features/servers/probe-servers.ts';
import { brandOf, logoOf } from '../features/web/brand.ts';
import { markPages } from '../features/web/mark-pages.ts';
import { readStaticFiles, readWebFiles } from '../features/web/read-web-files.ts';
import { deliverWebhooks } from '../features/webhooks/deliver.ts';
import type { BlobStore } from '../platform/blob-store.ts';
import type { Database } from '../platform/database/schema.ts';
import { every } from '../platform/every.ts';
import { createJobTracker } from '../platform/job-tracker.ts';
import { createServerCheckCounts, type Faults } from '../platform/metrics.ts';
import type { PictureRenderer } from '../platform/picture-renderer.ts';
import { createSafeRenderer, type Renderer } from '../platform/renderer.ts';
import { createMac, newSecret } from '../platform/secret.ts';
import {
  type Clock,
  type Log,
  type RandomBytes,
  type RequestLog,
  requestLogOf,
  type UnitOfWork,
} from '../platform/system.ts';
import type { Telemetry } from '../platform/telemetry.ts';
import { versionOf } from './commands/version.ts';
import { openKeys } from './open-keys.ts';
import { openProbes } from './open-probes.ts';
import { SettingError, type Settings } from './settings.ts';
import { createStore } from './store.ts';

/** The clock, the randomness, the network and the log of the process. */
export type System = {
  clock: Clock;
  random: RandomBytes;
  newId(): string;
  log: Log;
  /** When omitted, each request is logged to `log`. */
  logRequest?: RequestLog;
  fetch: Fetch;
};

const HOUR = 3_600;
const DAY = 24 * HOUR;

/** How long after a change a page of the catalogue may still be served, in milliseconds. It limits how often the page is rendered. */
const PAGE_GRACE_MS = 1_000;

// Modules that only some stores need are loaded on demand: they take a tenth of the start.
const postgres = () => import('../adapters/postgres/open-postgres.ts');
const smtp = () => import('../adapters/mail/smtp-transport.ts');
const signIn = () => import('../adapters/sign-in/providers.ts');
const docs = () => import('../features/docs/site/read-docs.ts');

/** Opens a resource that a setting names. @throws SettingError, with one line for the operator */
const usable = async <T>(what: string, open: () => Promise<T>): Promise<T> => {
  try {
    return await open();
  } catch (error) {
    if (error instanceof SettingError) throw error;
    throw new SettingError(`${what} cannot be used: ${(error as Error).message}`);
  }
};

async function migrated(db: Database): Promise<Database> {
  try {
    await migrate(db);
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

/**
 * Opens the database that the settings name, with its tables up to date.
 * @throws when it cannot be used
 */
export const openDatabase = (
  { dataDir, databaseUrl }: Pick<Settings, 'dataDir' | 'databaseUrl'>,
  log: Log,
): Promise<Database> =>
  databaseUrl === null
    ? migrated(openSqlite(databaseIn(dataDir)))
    : usable('The database in DATABASE_URL', async () => {
        const { openPostgres } = await postgres();
        return migrated(await openPostgres(databaseUrl, log));
      });

export function openBlobs({ dataDir, s3 }: Settings, newName: () => string): Promise<BlobStore> {
  if (s3 === null) return openDiskBlobStore(dataDir, newName);
  const incoming = join(dataDir, 'incoming');
  return usable('The bucket in SVC_BLOBS', () => openS3BlobStore({ settings: s3, incoming, newName }));
}

/** A partly restored store would serve without the rest, and accept uploads that are lost later. */
function requireNoRestore(dataDir: string): void {
  const restoring = restoringIn(dataDir);
  if (!existsSync(restoring)) return;
  throw new SettingError(
    `${restoring} exists: a restore is in progress, or was interrupted. If it was interrupted, remove the folder and restore again, with --force.`,
  );
}

/**
 * Refuses a new database when the data folder or the bucket already belongs to a store. The cause is nearly always a wrong or missing
 * `DATABASE_URL`, and the store would silently start empty.
 */
async function requireRightDatabase(
  settings: Settings,
  db: Database,
  blobs: BlobStore,
  newId: () => string,
): Promise<void> {
  const { blobLedger, signingKeys } = createStores(db);
  const { dataDir, databaseUrl, s3 } = settings;
  // Read first: a process that starts at the same time records its key before it claims the bundles.
  const owner = await blobs.owner();
  if ((await signingKeys.known()) !== null || (await signingKeys.signers()).length > 0) return;
  if (databaseUrl !== null && existsSync(databaseIn(dataDir)))
    throw new SettingError(
      `DATABASE_URL names a database without a store, and ${dataDir} contains a store: move that store with svc-store migrate-to, or start a new one with an empty SVC_DATA_DIR.`,
    );
  if (owner === null || owner === (await blobLedger.ownerName(newId()))) return;
  const where = s3 === null ? `the bundles in ${dataDir} belong` : 'the bucket in SVC_BLOBS belongs';
  throw new SettingError(
    `The database is new, and ${where} to a store: use the database of that store, restore a backup, or start a new store with ${s3 === null ? 'an empty SVC_DATA_DIR' : 'an empty bucket'}.`,
  );
}

/** PostgreSQL has no change mark that is cheaper than the query itself. */
const changesOf = ({ databaseUrl, dataDir }: Settings): ReturnType<typeof watchChanges> =>
  databaseUrl === null ? watchChanges(databaseIn(dataDir)) : { changeMark: () => null, close: () => {} };

async function openAdapters(settings: Settings, { newId, log }: System) {
  const { dataDir, signingKeyFile } = settings;
  requireNoRestore(dataDir);
  await openFolderDurably(dataDir);
  const db = await openDatabase(settings, log);
  // The files that the first start creates must survive a power cut before anything is acknowledged.
  await syncFolder(dataDir);
  try {
    const unitOfWork = createUnitOfWork(db);
    const blobs = await openBlobs(settings, newId);
    await requireRightDatabase(settings, db, blobs, newId);
    const keys = await openKeys({ unitOfWork, newId }, signingKeyFile);
    return { db, blobs, unitOfWork, ...keys, changes: changesOf(settings) };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

/**
 * Claims the bundle storage for this store, before anything is published: the owner of an empty storage is certain.
 * @throws SettingError when it belongs to another store
 */
async function requireOwnBlobs(deps: OwnerDeps & { log: Log }): Promise<void> {
  const why = await wrongBlobs(deps);
  if (why !== null) throw new SettingError(why);
  await ownsBlobs(deps);
}

/** Sends mails to the mail server, or logs them when there is none. */
const mailTransportOf = async ({ smtp: server, baseUrl }: Settings, log: Log): Promise<MailTransport> =>
  server ? (await smtp()).createSmtpTransport(server, baseUrl) : createLogTransport(log);

/** The providers that users sign in with, if there are any. */
const providersOf = async ({ providers }: Settings, fetch: Fetch): Promise<Providers> =>
  providers.length > 0 ? (await signIn()).createProviders(providers, fetch) : new Map();

/** Work that is repeated. The signal aborts it when the store stops. */
type Job = (signal?: AbortSignal) => Promise<unknown>;

const policyOf = (settings: Settings) => ({
  flaggedCodes: new Set(settings.flaggedCodes),
  skipReview: new Set(settings.skipReview),
  toolChanges: settings.toolChanges,
  confirmUploads: settings.confirmUploads,
  reviewMs: settings.reviewDays * DAY * 1_000,
  independentReview: settings.independentReview,
  cannedReasons: cannedReasons(settings.cannedReasons),
  emergencyInstalls: settings.emergencyInstalls,
  toolDrift: settings.toolDrift,
});

/** Told at each start of a store from before passkeys were the default, until an administrator or the policy chooses. */
const PASSWORDS_ONLY =
  'Moderators and administrators have their role with a password alone. New stores ask them for a passkey: choose so at /setup/access, or set rolesNeedPasskey in the policy file.';

/**
 * How users with a role must sign in, where the settings decide it. Browsers have passkeys only for hosts with a name, at https addresses
 * and at localhost (WebAuthn section 5.1.3), and a store whose users sign in with a provider alone accepts none: the role of the first
 * administrator could not be used.
 */
function givenRoles(
  { rolesNeedPasskey, baseUrl }: Settings,
  providers: Providers,
): AccessRules['roles'] | null {
  if (rolesNeedPasskey !== null) return rolesNeedPasskey ? 'passkey' : 'any';
  const { protocol, hostname } = new URL(baseUrl);
  const isNamed = isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
  const hasPasskeys = hostname === 'localhost' || (protocol === 'https:' && isNamed);
  return hasPasskeys && !isSsoOnly(providers) ? null : 'any';
}

/**
 * The secret of the setup link, from the first start on. At that start, roles are set to need a passkey: a store from before keeps its rule.
 */
const openSetup = (unitOfWork: UnitOfWork<Stores>, random: RandomBytes): Promise<string> =>
  unitOfWork(async ({ installs, people, chosenRules }) => {
    const fresh = newSecret(random);
    const secret = await installs.secret('setup link', fresh);
    if (secret === fresh && !(await people.hasAdministrator())) await chosenRules.choose({ roles: 'grace' });
    return secret;
  });

/**
 * Opens a store on its data folder: creates what is missing, and finishes what an earlier process left unfinished.
 * @throws SettingError when the folder, the key in it or the database cannot be used
 */
export async function openStore(
  settings: Settings,
  system: System & {
    sites: Sites;
    pictures: PictureRenderer;
    /** Default: threads of the store's own. A given one is left open. */
    renderer?: Renderer;
    /** Default: servers of the Internet. */
    serverLister?: ServerLister;
    faults?: Faults;
    telemetry?: Telemetry;
    argon2?: () => Promise<Argon2>;
  },
  inspector: BundleInspector,
  {
    pageGraceMs = PAGE_GRACE_MS,
    uploadBounds = UPLOAD_BOUNDS,
  }: { pageGraceMs?: number; uploadBounds?: UploadBounds } = {},
) {
  const { db, blobs, unitOfWork, signingKey, keyChain, changes } = await usable(
    `The data folder ${settings.dataDir}`,
    () => openAdapters(settings, system),
  );
  const stores = createStores(db);
  await requireOwnBlobs({ ...system, ...stores, blobs }).catch(async (error: unknown) => {
    changes.close();
    await db.destroy();
    throw error;
  });
  const macFor = (purpose: string) => createMac(signingKey.privateKey, purpose);
  const links = invitationLinks(settings.baseUrl, macFor('invitation'));
  const statics = readStaticFiles();
  const workerRenderer = createWorkerRenderer();
  const setupKey = macFor('setup link')(await openSetup(unitOfWork, system.random));
  const providers = await providersOf(settings, system.fetch);
  const given = { ...settings, roles: givenRoles(settings, providers) };
  const accessRules = await openAccessRules(given, stores.chosenRules);
  if (given.roles === null && accessRules.now().roles === 'any') system.log.warn({}, PASSWORDS_ONLY);
  const jobs = createJobTracker(system.clock);
  const serverChecks = createServerCheckCounts();
  const { brand, files: brandFiles } = brandOf(settings);
  const rasterFolder = openRasterFolder(settings.dataDir, system.newId, system.clock);
  const rasters = createRasters({
    renderer: system.pictures,
    cache: rasterFolder,
    blobs,
    limits: uploadBounds.drawings,
  });
  const parts = {
    ...settings,
    logRequest: requestLogOf(system.log),
    ...system,
    brand,
    accessRules,
    setupKey,
    processName: system.newId(),
    inspector,
    stores,
    unitOfWork: withLiveCallers(unitOfWork, system.clock),
    changeMark: changes.changeMark,
    blobs,
    signingKey,
    keyChain,
    probes: await openProbes(settings, db, blobs),
    jobs,
    serverChecks,
    readiness: createReadiness(system.clock),
    webFiles: new Map([
      ...markPages(await readWebFiles(settings.webDir), { localApps: settings.localApps, brand }),
      ...statics.files,
      ...brandFiles,
    ]),
    staticAddresses: statics.addresses,
    openDocs: async () => (await docs()).ownDocs(),
    providers,
    policy: policyOf(settings),
    attest: await usable('The file in SVC_ATTESTATION_ROOTS', () =>
      openAttestations(settings.attestationRoots),
    ),
    invitationLinks: links,
    installMac: await openInstallMac({ ...system, unitOfWork }),
    personLinks: {
      resetMac: macFor('reset link'),
      addressMac: macFor('new address'),
      confirmMac: macFor('confirm link'),
      unsubscribeMac: macFor('unsubscribe link'),
      ceremonyMac: macFor('ceremony'),
      browserMac: macFor('known browser'),
    },
    sendsMail: settings.smtp !== null,
    renderer: createSafeRenderer(system.renderer ?? workerRenderer, system),
    rasters,
    previews: createPreviews({
      renderer: system.pictures,
      cache: rasterFolder,
      rasters,
      store: { name: brand.name, host: new URL(settings.baseUrl).host, logo: logoOf(settings) },
    }),
    pageGraceMs,
    uploadBounds,
  };
  const deps = { ...parts, ...stores };
  await resumeVersions(deps);
  await restoreRevocations(deps);
  const store = createStore(parts);
  await store.renewRevocations();
  const mailDeps = {
    ...deps,
    invitationUrl: links.url,
    ...mailedLinks({ ...deps, ...parts.personLinks, hasProviders: parts.providers.size > 0 }),
    unsubscribeMac: parts.personLinks.unsubscribeMac,
    transport: await mailTransportOf(settings, system.log),
  };
  const sendDueMails: Job = async (signal) => {
    await tellModerators(deps);
    await sendMails(mailDeps, signal);
  };
  const deliverDueWebhooks: Job = (signal) => deliverWebhooks(deps, signal);
  const recheckDueWebsites: Job = (signal) => recheckWebsites(deps, signal);
  const proberDeps = {
    ...deps,
    serverChecks,
    serverLister: system.serverLister ?? createServerLister({ ...settings, version: versionOf() }),
  };
  const probeDueServers: Job = (signal) => probeServers(proberDeps, signal);
  /** @param pause seconds to the first run, and from the end of one run to the beginning of the next */
  const repeat = (what: string, [first, then]: readonly [number, number], work: Job) =>
    every(what, { firstMs: first * 1_000, thenMs: then * 1_000 }, jobs.track(what, work), system.log);
  const repeatedJobs = [
    repeat('Resuming interrupted versions', [5, 5], () => resumeVersions(deps)),
    repeat('Renewing the revocation list', [60, 60], store.renewRevocations),
    // Another process may have changed them.
    repeat('Reloading the access rules', [5, 5], accessRules.refresh),
    repeat('Sweeping', [10, HOUR], (signal) => sweepOrphans(deps, signal && { signal })),
    repeat('Removing unused drawings', [60, DAY], rasterFolder.removeUnused),
    repeat('Sending mails', [5, 5], sendDueMails),
    repeat('Delivering webhooks', [5, 1], deliverDueWebhooks),
    repeat('Checking websites', [60, 600], recheckDueWebsites),
    ...(settings.probeServers === 'on'
      ? [repeat('Listing the servers of apps', [60, 60], probeDueServers)]
      : []),
    repeat('Recording the use of tokens', [10, 10], store.writeUses),
    repeat('Counting installs', [10, 10], store.writeInstalls),
    repeat('Purging expired rows', [60, 600], () => purgeExpired(deps)),
  ];
  return {
    ...store,
    stores,
    sendDueMails,
    deliverDueWebhooks,
    recheckDueWebsites,
    probeDueServers,
    keyId: signingKey.keyId,
    readiness: parts.readiness,
    async close() {
      await Promise.all(repeatedJobs.map(({ stop }) => stop()));
      await store.writeUses().catch((error: unknown) => {
        system.log.warn({ err: error }, 'The last use of tokens could not be recorded.');
      });
      await store.writeInstalls().catch((error: unknown) => {
        system.log.warn({ err: error }, 'The last downloads could not be counted.');
      });
      changes.close();
      await Promise.all([db.destroy(), workerRenderer.close()]);
    },
  };
}
