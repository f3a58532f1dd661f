import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { type AccessRules, EXTENSION_NAMES, LIMITS, routeNames } from '@svc/contracts';
import { sql } from 'kysely';
import { createStores, type Stores } from '../adapters/database/stores.ts';
import { blobsIn, databaseIn } from '../adapters/disk/data-folder.ts';
import { watchPlaces } from '../adapters/disk/in-place.ts';
import { openRasterFolder } from '../adapters/disk/raster-folder.ts';
import { openResourceReader } from '../adapters/process/read-resources.ts';
import { createServerLister } from '../adapters/servers/list-tools.ts';
import type { Fetch } from '../adapters/sign-in/provider-client.ts';
import { filesOf } from '../adapters/sqlite/open-sqlite.ts';
import { createWorkerRenderer } from '../adapters/worker/worker-renderer.ts';
import { withLiveCallers } from '../core/access/authorise.ts';
import type { AuditSink } from '../core/audit/audit-sink.ts';
import { openBrand } from '../core/domain/brand/brand.ts';
import { openAccessRules } from '../core/domain/identity/access-rules.ts';
import type { ServerLister } from '../core/domain/tools/served.ts';
import { openInstallMac } from '../core/installs/install-store.ts';
import { cannedReasons } from '../core/moderation/canned-reasons.ts';
import { createReadiness } from '../core/operations/readiness.ts';
import type { Argon2 } from '../core/people/password.ts';
import type { Providers } from '../core/people/provider.ts';
import { isSsoOnly } from '../core/people/provider-access.ts';
import { createRasters } from '../core/pictures/rasters.ts';
import { invitationLinks } from '../core/publishers/invitations/accept.ts';
import type { Sites } from '../core/publishers/site.ts';
import { openAttestations } from '../core/publishing/attest.ts';
import { UPLOAD_BOUNDS, type UploadBounds } from '../core/publishing/bounds.ts';
import type { BundleInspector } from '../core/publishing/inspection-queues.ts';
import { markPages, readStaticFiles, readWebFiles, type WebFiles } from '../core/web/read-web-files.ts';
import { addressOfOwn, OWN_FILES } from '../http/own-files.ts';
import type { BlobStore } from '../platform/blob-store.ts';
import type { Database } from '../platform/database/schema.ts';
import { createJobTracker } from '../platform/every.ts';
import type { Faults, Telemetry } from '../platform/metrics.ts';
import { createOutages, type Outages, withoutFloods } from '../platform/outages.ts';
import { versionOf } from '../platform/own-package.ts';
import type { PictureRenderer } from '../platform/picture-renderer.ts';
import { loggedProbes, type Probes } from '../platform/probe.ts';
import { createSafeRenderer, type Renderer } from '../platform/renderer.ts';
import { createResources } from '../platform/resources.ts';
import { createMac, type Mac, newSecret } from '../platform/secret.ts';
import { type RandomBytes, requestLogOf, type UnitOfWork } from '../platform/system.ts';
import { extensionsOn } from './extensions.ts';
import { openData, requireNoRestore, requireOwnBlobs, type System, usable } from './open-data.ts';
import { type DatabaseWatch, watchDatabase } from './own-database.ts';
import type { Settings } from './settings.ts';
import { watchProviders, watchServers, watchSites } from './watched-services.ts';

/**
 * Creates the probes of readiness: whether the database and the bundle storage respond, whether they are still the ones that were opened, and
 * whether an upload can be spooled. A database file that was removed still responds; a volume or bucket that was exchanged has another owner, or none.
 */
export async function openProbes(
  { dataDir, databaseUrl, s3 }: Pick<Settings, 'dataDir' | 'databaseUrl' | 's3'>,
  db: Database,
  blobs: BlobStore,
  { require: requireSameDatabase }: Pick<DatabaseWatch, 'require'> = watchDatabase(),
): Promise<Probes> {
  const requireInPlace = watchPlaces(databaseUrl === null ? filesOf(databaseIn(dataDir)) : []);
  const owner = await blobs.owner();
  return {
    async database() {
      requireNoRestore(dataDir);
      requireInPlace();
      await requireSameDatabase(db);
      if (databaseUrl === null) return;
      // After a failover the address may be that of a replica, to which nothing can be written.
      const { rows } = await sql<{
        value: string;
      }>`select current_setting('transaction_read_only') as value`.execute(db);
      if (rows[0]?.value === 'on') throw new Error('The database is read-only.');
    },
    /** Uploads are spooled there, before they are checked. */
    async 'upload folder'() {
      const folder = join(dataDir, 'incoming');
      await access(folder, constants.W_OK);
      const { bavail, bsize } = await statfs(folder);
      if (bavail * bsize < LIMITS.bundle.bytes)
        throw new Error('The data folder has no space for an upload.');
    },
    async 'bundle storage'() {
      const current = await blobs.owner();
      if (current !== owner) throw new Error(`The bundle storage now belongs to ${current ?? 'no store'}.`);
      if (s3 === null) await access(blobsIn(dataDir), constants.W_OK);
    },
  };
}

/** A day in milliseconds. */
const DAY_MS = 24 * 3_600_000;

/** How long after a change a page of the catalogue may still be served, in milliseconds. It limits how often the page is rendered. */
const PAGE_GRACE_MS = 1_000;

// Modules that only some stores need are loaded on demand: they take a tenth of the start.
const signIn = () => import('../adapters/sign-in/providers.ts');

const siem = () => import('../adapters/siem/send-entries.ts');

/** Where the audit log is delivered; null when it is not. */
const auditSinkOf = async (
  { auditTo, auditToken, auditFormat, baseUrl }: Settings,
  fetch: Fetch,
): Promise<AuditSink | null> =>
  auditTo === null
    ? null
    : (await siem()).openAuditSink({
        address: auditTo,
        token: auditToken,
        format: auditFormat,
        store: new URL(baseUrl).host,
        fetch,
      });

/** The providers that users sign in with, if there are any. */
const providersOf = async ({ providers }: Settings, fetch: Fetch, outages: Outages): Promise<Providers> =>
  providers.length > 0
    ? watchProviders(outages, (await signIn()).createProviders(providers, fetch))
    : new Map();

const policyOf = (settings: Settings) => ({
  flaggedCodes: new Set(settings.flaggedCodes),
  skipReview: new Set(settings.skipReview),
  toolChanges: settings.toolChanges,
  confirmUploads: settings.confirmUploads,
  reviewMs: settings.reviewDays * DAY_MS,
  independentReview: settings.independentReview,
  twoPersons: settings.twoPersons,
  cannedReasons: cannedReasons(settings.cannedReasons),
  emergencyInstalls: settings.emergencyInstalls,
  toolDrift: settings.toolDrift,
  hostedRunners: settings.hostedRunners,
  publisherStorageMiB: settings.publisherStorageMiB,
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

/** The sign-in providers, and the rules of who may do what. */
async function openAccess(
  settings: Settings,
  { fetch, log, outages }: System & { outages: Outages },
  { chosenRules }: Stores,
) {
  const providers = await providersOf(settings, fetch, outages);
  const given = { ...settings, roles: givenRoles(settings, providers) };
  const accessRules = await openAccessRules(given, chosenRules);
  if (given.roles === null && accessRules.now().roles === 'any') log.warn({}, PASSWORDS_ONLY);
  return { providers, accessRules };
}

/** The brand, the built pages and the files beside them. */
async function openPages(settings: Settings, { chosenBrand }: Stores) {
  const bytes = OWN_FILES.get('icon.svg')?.body ?? new Uint8Array();
  const on = extensionsOn(settings.without ?? []);
  const brandBook = await openBrand({ ...settings, routeNames: routeNames(on) }, chosenBrand, {
    path: addressOfOwn('icon.svg'),
    bytes,
  });
  const statics = readStaticFiles();
  const { localApps } = settings;
  const without = EXTENSION_NAMES.filter((name) => !on.has(name));
  const built = await readWebFiles(settings.webDir);
  const filesNow = (): WebFiles => {
    const pages = markPages(built, { localApps, brand: brandBook.now(), without });
    return new Map([...pages, ...statics.files, ...brandBook.files()]);
  };
  let webFiles = filesNow();
  brandBook.onChange(() => {
    webFiles = filesNow();
  });
  return {
    brandBook,
    webFiles: () => webFiles,
    staticAddresses: statics.addresses,
  };
}

/** The drawings of pictures, and the folder that keeps them. */
function openDrawings(
  { dataDir }: Settings,
  { pictures: renderer, newId, clock }: System & { pictures: PictureRenderer },
  { blobs, uploadBounds }: { blobs: BlobStore; uploadBounds: UploadBounds },
) {
  const rasterCache = openRasterFolder(dataDir, newId, clock);
  return {
    rasterCache,
    rasters: createRasters({ renderer, cache: rasterCache, blobs, limits: uploadBounds.drawings }),
  };
}

/** The links that mails contain, each with a key of its own. */
const linksOf = ({ baseUrl }: Settings, macFor: (purpose: string) => Mac) => ({
  invitationLinks: invitationLinks(baseUrl, macFor('invitation')),
  personLinks: {
    resetMac: macFor('reset link'),
    addressMac: macFor('new address'),
    confirmMac: macFor('confirm link'),
    unsubscribeMac: macFor('unsubscribe link'),
    ceremonyMac: macFor('ceremony'),
    browserMac: macFor('known browser'),
    keptMac: macFor('kept password'),
  },
});

/** The process around a store: the clock, the network, the log, and what draws and lists for it. */
export type StoreSystem = System & {
  sites: Sites;
  pictures: PictureRenderer;
  /** Default: threads of the store's own. A given one is left open. */
  renderer?: Renderer;
  /** Default: servers of the Internet. */
  serverLister?: ServerLister;
  /** What the metrics report of this process; zeros when omitted. */
  faults?: Faults;
  /** Receives each request; none when omitted. */
  telemetry?: Telemetry;
  /** The library of slow hashes; the real one when omitted. */
  argon2?: () => Promise<Argon2>;
};

/** What bounds a store; tests pass their own. */
export type StoreBounds = {
  pageGraceMs?: number;
  uploadBounds?: UploadBounds;
  /** Whether the work of extensions is repeated, which is the default; else `runJob` does it alone, and no test meets it by chance. */
  repeatsJobs?: boolean;
};

/**
 * Opens the database, the bundles and the keys, and creates every part of a store on them.
 * @throws SettingError when the folder, the key in it or the database cannot be used
 */
export async function openParts(
  settings: Settings,
  given: StoreSystem,
  inspector: BundleInspector,
  { pageGraceMs = PAGE_GRACE_MS, uploadBounds = UPLOAD_BOUNDS }: StoreBounds,
) {
  const watched = { ...given, log: withoutFloods(given.log, () => performance.now()) };
  const outages = createOutages(watched);
  const system = { ...watched, outages, sites: watchSites(outages, given.sites) };
  const { db, database, blobs, unitOfWork, writeGate, signingKey, keyChain, changes } = await usable(
    `The data folder ${settings.dataDir}`,
    () => openData(settings, system),
  );
  const stores = createStores(db);
  await requireOwnBlobs({ ...system, ...stores, blobs }).catch(async (error: unknown) => {
    changes.close();
    await db.destroy();
    throw error;
  });
  await database.remember(db);
  const macFor = (purpose: string) => createMac(signingKey.privateKey, purpose);
  const workerRenderer = createWorkerRenderer();
  const extensions = extensionsOn(settings.without ?? []);
  // The first start chooses a rule, before the rules are read.
  const setupKey = macFor('setup link')(await openSetup(unitOfWork, system.random));
  const pages = await openPages(settings, stores);
  const drawings = openDrawings(settings, system, { blobs, uploadBounds });
  const listed = database.within(unitOfWork);
  const parts = {
    ...settings,
    logRequest: requestLogOf(given.log),
    ...system,
    ...pages,
    ...drawings,
    ...linksOf(settings, macFor),
    ...(await openAccess(settings, system, stores)),
    setupKey,
    processName: system.newId(),
    inspector,
    stores,
    unitOfWork: withLiveCallers(unitOfWork, system.clock),
    // The list is signed for every caller, also in a request whose caller has lost access, and while the store is read-only.
    listUnitOfWork: ((work) => writeGate.exempt(() => listed(work))) satisfies typeof unitOfWork,
    writeGate,
    changeMark: changes.changeMark,
    blobs,
    signingKey,
    keyChain,
    database,
    probes: loggedProbes(await openProbes(settings, db, blobs, database), system.log),
    resources: createResources({ ...system, read: await openResourceReader() }),
    jobs: createJobTracker(system.clock),
    serverLister: watchServers(
      outages,
      given.serverLister ?? createServerLister({ ...settings, version: versionOf() }),
    ),
    readiness: createReadiness(system.clock),
    policy: policyOf(settings),
    attest: await usable('The file in SVC_ATTESTATION_ROOTS', () =>
      openAttestations(settings.attestationRoots),
    ),
    auditSink: await auditSinkOf(settings, system.fetch),
    installMac: await openInstallMac({ ...system, unitOfWork }),
    sendsMail: settings.smtp !== null,
    renderer: createSafeRenderer(system.renderer ?? workerRenderer, system),
    pageGraceMs,
    uploadBounds,
    extensions,
    routeNames: routeNames(extensions),
  };
  if (settings.readOnly !== null) {
    writeGate.close(settings.readOnly);
    system.log.warn(
      { reason: settings.readOnly },
      'The store is read-only: unset SVC_READ_ONLY to end that.',
    );
  }
  return {
    parts,
    removeUnusedDrawings: drawings.rasterCache.removeUnused,
    async close() {
      changes.close();
      await Promise.all([db.destroy(), workerRenderer.close()]);
    },
  };
}

/** All parts of a store, with its settings. */
export type StoreParts = Awaited<ReturnType<typeof openParts>>['parts'];
