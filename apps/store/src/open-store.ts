import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from './adapters/database/migrations.ts';
import { createStores, createUnitOfWork } from './adapters/database/stores.ts';
import { databaseIn, restoringIn } from './adapters/disk/data-folder.ts';
import { openDiskBlobStore } from './adapters/disk/disk-blob-store.ts';
import { makeFolderDurably, syncFolder } from './adapters/disk/durable-file.ts';
import { openRasterFolder } from './adapters/disk/raster-folder.ts';
import { createLogCarrier } from './adapters/mail/log-carrier.ts';
import { openS3BlobStore } from './adapters/s3/s3-blob-store.ts';
import type { Fetch } from './adapters/sign-in/provider-client.ts';
import { openSqlite } from './adapters/sqlite/open-sqlite.ts';
import { watchChanges } from './adapters/sqlite/watch-changes.ts';
import { createWorkerRenderer } from './adapters/worker/worker-renderer.ts';
import { openAccessRules } from './domain/identity/access-rules.ts';
import { openInstallMac } from './installs/install-mac.ts';
import type { Carrier } from './mail/carrier.ts';
import { sendMails } from './mail/send-mails.ts';
import { cannedReasons } from './moderation/canned-reasons.ts';
import { openKeys } from './open-keys.ts';
import { openProbes } from './open-probes.ts';
import { purgeExpired } from './operations/purge-expired.ts';
import { createReadiness } from './operations/readiness.ts';
import { mailedLinks } from './people/mailed-links.ts';
import type { Providers } from './people/provider.ts';
import { createPreviews } from './pictures/previews.ts';
import { createRasters } from './pictures/rasters.ts';
import type { BlobStore } from './platform/blob-store.ts';
import type { Database } from './platform/database/schema.ts';
import { every } from './platform/every.ts';
import { createJobNotes } from './platform/job-notes.ts';
import type { PictureRenderer } from './platform/picture-renderer.ts';
import { createSafeRenderer } from './platform/renderer.ts';
import { createMac, newSecret } from './platform/secret.ts';
import { type Clock, type Log, type RandomBytes, type RequestLog, requestLogOf } from './platform/system.ts';
import type { Telemetry } from './platform/telemetry.ts';
import { invitationLinks } from './publishers/invitations/link.ts';
import { recheckWebsites } from './publishers/recheck-websites.ts';
import type { Sites } from './publishers/site.ts';
import { type OwnerDeps, ownsBlobs, wrongBlobs } from './publishing/blob-owner.ts';
import { UPLOAD_BOUNDS, type UploadBounds } from './publishing/bounds.ts';
import type { BundleInspector } from './publishing/lanes.ts';
import { resumeVersions } from './publishing/resume.ts';
import { sweepOrphans } from './publishing/sweep-orphans.ts';
import { bringBackRevocations } from './revocations/kept-list.ts';
import { SettingError, type Settings } from './settings.ts';
import { createStore } from './store.ts';
import { brandOf, logoOf } from './web/brand.ts';
import { markPages } from './web/mark-pages.ts';
import { readStaticFiles } from './web/read-static-files.ts';
import { readWebFiles } from './web/read-web-files.ts';

/** What comes from outside the program. */
export type System = {
  clock: Clock;
  random: RandomBytes;
  newId(): string;
  log: Log;
  /** Left out, a line for each request goes into `log`. */
  logRequest?: RequestLog;
  fetch: Fetch;
};

/** How often versions that were left behind are looked for. */
const RESUME = { firstMs: 5_000, thenMs: 5_000 };
/** How often the revocation list is looked at. */
const RENEW = { firstMs: 60_000, thenMs: 60_000 };
/** How often bytes that no version refers to are looked for: once the store has started, then each hour. */
const SWEEP = { firstMs: 10_000, thenMs: 60 * 60 * 1000 };
/** How often it is read who may do what: another process may have been told otherwise. */
const REREAD = { firstMs: 5_000, thenMs: 5_000 };
/** How often mails that wait are looked for. */
const MAIL = { firstMs: 5_000, thenMs: 5_000 };
/** How often websites are looked for that nobody has looked at for a week. */
const WEBSITES = { firstMs: 60_000, thenMs: 10 * 60_000 };

/** How often it is written down which tokens were used. */
const NOTE_USES = { firstMs: 10_000, thenMs: 10_000 };
/** How often downloads are counted. */
const COUNT_INSTALLS = { firstMs: 10_000, thenMs: 10_000 };
/** How often what has run out is removed. */
const FORGET = { firstMs: 60_000, thenMs: 10 * 60_000 };

/** How old a page of the catalogue may become after a change, in milliseconds: so often is it made again at most. */
const PAGE_GRACE_MS = 1_000;

// What only some stores need is loaded where it is: a tenth of what starts them all.
const postgres = () => import('./adapters/postgres/open-postgres.ts');
const smtp = () => import('./adapters/mail/smtp-carrier.ts');
const signIn = () => import('./adapters/sign-in/providers.ts');
const docs = () => import('./docs/site/read-docs.ts');

/** Opens something that a setting names. What is wrong with it is one line for the operator. */
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

/** Opens what keeps the bytes, as the settings name it. */
export function openBlobs({ dataDir, s3 }: Settings, newName: () => string): Promise<BlobStore> {
  if (s3 === null) return openDiskBlobStore(dataDir, newName);
  const incoming = join(dataDir, 'incoming');
  return usable('The bucket in SVC_BLOBS', () => openS3BlobStore({ settings: s3, incoming, newName }));
}

/** A store that was restored only in part would serve without the rest, and take uploads that are lost later. */
function requireWhole(dataDir: string): void {
  const restoring = restoringIn(dataDir);
  if (!existsSync(restoring)) return;
  throw new SettingError(
    `${restoring} is there: a restore is under way, or was cut off. If so, remove it and restore again, with --force.`,
  );
}

/**
 * A new database beside a store that lies in the data folder or the bucket is nearly always a wrong or forgotten `DATABASE_URL`: the
 * store would begin again, without a word, beside what it had published.
 */
async function requireRightDatabase(
  settings: Settings,
  db: Database,
  blobs: BlobStore,
  newId: () => string,
): Promise<void> {
  const { blobLedger, signingKeys } = createStores(db);
  const { dataDir, databaseUrl, s3 } = settings;
  // Asked first: a process that starts at the same time records its key before it claims the bundles.
  const owner = await blobs.owner();
  if ((await signingKeys.known()) !== null || (await signingKeys.signers()).length > 0) return;
  if (databaseUrl !== null && existsSync(databaseIn(dataDir)))
    throw new SettingError(
      `DATABASE_URL names a database without a store, and ${dataDir} holds a store: move it with svc-store migrate-to, or begin again with an empty SVC_DATA_DIR.`,
    );
  if (owner === null || owner === (await blobLedger.ownerName(newId()))) return;
  const where = s3 === null ? `the bundles in ${dataDir}` : 'the bucket in SVC_BLOBS';
  throw new SettingError(
    `The database is new, and ${where} belong to a store: name its database, restore a backup, or begin again with ${s3 === null ? 'an empty SVC_DATA_DIR' : 'an empty bucket'}.`,
  );
}

/** PostgreSQL has no mark that costs less than asking what one wants to know. */
const changesOf = ({ databaseUrl, dataDir }: Settings): ReturnType<typeof watchChanges> =>
  databaseUrl === null ? watchChanges(databaseIn(dataDir)) : { changeMark: () => null, close: () => {} };

async function openAdapters(settings: Settings, { newId, log }: System) {
  const { dataDir, signingKeyFile } = settings;
  requireWhole(dataDir);
  await makeFolderDurably(dataDir);
  const db = await openDatabase(settings, log);
  // What the first start makes in it must be found after a power cut, before anything is acknowledged.
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
 * Claims the bundle storage for this store, before anything is published: whose the bytes are shows best while there are none.
 * @throws SettingError when it is the wrong one
 */
async function requireOwnBlobs(deps: OwnerDeps & { log: Log }): Promise<void> {
  const why = await wrongBlobs(deps);
  if (why !== null) throw new SettingError(why);
  await ownsBlobs(deps);
}

/** Mails go to the mail server, or into the log when there is none. */
const carrierOf = async ({ smtp: server, baseUrl }: Settings, log: Log): Promise<Carrier> =>
  server ? (await smtp()).createSmtpCarrier(server, baseUrl) : createLogCarrier(log);

/** The providers that people sign in with, if there are any. */
const providersOf = async ({ providers }: Settings, fetch: Fetch): Promise<Providers> =>
  providers.length > 0 ? (await signIn()).createProviders(providers, fetch) : new Map();

/** What is done again and again; it is told when there is no more time. */
type Job = (signal?: AbortSignal) => Promise<unknown>;

const DAY_MS = 24 * 3_600_000;

const policyOf = (settings: Settings) => ({
  flaggedCodes: new Set(settings.flaggedCodes),
  skipReview: new Set(settings.skipReview),
  reviewMs: settings.reviewDays * DAY_MS,
  independentReview: settings.independentReview,
  cannedReasons: cannedReasons(settings.cannedReasons),
});

/**
 * Opens a store over its data folder: makes what is missing, finishes what an earlier process left behind.
 * @throws SettingError when the folder, the key in it or the database cannot be used
 */
export async function openStore(
  settings: Settings,
  ambient: System & { sites: Sites; pictures: PictureRenderer; telemetry?: Telemetry },
  inspector: BundleInspector,
  {
    pageGraceMs = PAGE_GRACE_MS,
    uploadBounds = UPLOAD_BOUNDS,
  }: { pageGraceMs?: number; uploadBounds?: UploadBounds } = {},
) {
  const { db, blobs, unitOfWork, signingKey, keyChain, changes } = await usable(
    `The data folder ${settings.dataDir}`,
    () => openAdapters(settings, ambient),
  );
  const stores = createStores(db);
  await requireOwnBlobs({ ...ambient, ...stores, blobs }).catch(async (error: unknown) => {
    changes.close();
    await db.destroy();
    throw error;
  });
  const links = invitationLinks(settings.baseUrl, createMac(signingKey.privateKey, 'invitation'));
  const statics = readStaticFiles();
  const workerRenderer = createWorkerRenderer();
  const accessRules = await openAccessRules(settings, stores.chosenRules);
  const jobs = createJobNotes(ambient.clock);
  const { brand, files: brandFiles } = brandOf(settings);
  const rasterFolder = openRasterFolder(settings.dataDir, ambient.newId);
  const rasters = createRasters({
    renderer: ambient.pictures,
    cache: rasterFolder,
    blobs,
    limits: uploadBounds.drawings,
  });
  const parts = {
    ...settings,
    logRequest: requestLogOf(ambient.log),
    ...ambient,
    brand,
    accessRules,
    setupKey: createMac(
      signingKey.privateKey,
      'setup link',
    )(await unitOfWork(({ installs }) => installs.secret('setup link', newSecret(ambient.random)))),
    processName: ambient.newId(),
    inspector,
    stores,
    unitOfWork,
    changeMark: changes.changeMark,
    blobs,
    signingKey,
    keyChain,
    probes: await openProbes(settings, db, blobs),
    jobs,
    readiness: createReadiness(ambient.clock),
    webFiles: new Map([
      ...markPages(await readWebFiles(settings.webDir), { localApps: settings.localApps, brand }),
      ...statics.files,
      ...brandFiles,
    ]),
    staticAddresses: statics.addresses,
    openDocs: async () => (await docs()).ownDocs(),
    providers: await providersOf(settings, ambient.fetch),
    policy: policyOf(settings),
    invitationLinks: links,
    installMac: await openInstallMac({ ...ambient, unitOfWork }),
    personLinks: {
      resetMac: createMac(signingKey.privateKey, 'reset link'),
      confirmMac: createMac(signingKey.privateKey, 'confirm link'),
    },
    sendsMail: settings.smtp !== null,
    renderer: createSafeRenderer(workerRenderer, ambient),
    rasters,
    previews: createPreviews({
      renderer: ambient.pictures,
      cache: rasterFolder,
      rasters,
      store: { name: brand.name, host: new URL(settings.baseUrl).host, logo: logoOf(settings) },
    }),
    pageGraceMs,
    uploadBounds,
  };
  const deps = { ...parts, ...stores };
  await resumeVersions(deps);
  await bringBackRevocations(deps);
  const store = createStore(parts);
  await store.renewRevocations();
  const mailDeps = {
    ...deps,
    invitationUrl: links.url,
    ...mailedLinks({ ...deps, ...parts.personLinks }),
    carrier: await carrierOf(settings, ambient.log),
  };
  const sendDueMails: Job = (signal) => sendMails(mailDeps, signal);
  const recheckDueWebsites: Job = (signal) => recheckWebsites(deps, signal);
  const repeat = (what: string, pause: typeof RENEW, work: Job) =>
    every(what, pause, jobs.noting(what, work), ambient.log);
  const repeating = [
    repeat('Resuming versions', RESUME, () => resumeVersions(deps)),
    repeat('Renewing the revocation list', RENEW, store.renewRevocations),
    repeat('Reading who may do what', REREAD, accessRules.refresh),
    repeat('Sweeping', SWEEP, (signal) => sweepOrphans(deps, signal && { signal })),
    repeat('Sending mails', MAIL, sendDueMails),
    repeat('Checking websites', WEBSITES, recheckDueWebsites),
    repeat('Noting which tokens are used', NOTE_USES, store.writeUses),
    repeat('Counting installs', COUNT_INSTALLS, store.writeInstalls),
    repeat('Forgetting what has run out', FORGET, () => purgeExpired(deps)),
  ];
  return {
    ...store,
    stores,
    sendDueMails,
    recheckDueWebsites,
    keyId: signingKey.keyId,
    readiness: parts.readiness,
    async close() {
      await Promise.all(repeating.map(({ stop }) => stop()));
      await store.writeUses().catch((error: unknown) => {
        ambient.log.warn({ err: error }, 'Which tokens were used last could not be written down.');
      });
      await store.writeInstalls().catch((error: unknown) => {
        ambient.log.warn({ err: error }, 'The last downloads could not be counted.');
      });
      changes.close();
      await Promise.all([db.destroy(), workerRenderer.close()]);
    },
  };
}
