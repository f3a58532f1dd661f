import type { Footprint, Manifest, OriginStatement, ToolRecord } from '@svc/contracts';
import { factsOf, verifyToolRecord } from '@svc/signing';
import type { Pins } from '../calls/pins/pins.ts';
import type { Answer } from '../cards/card.ts';
import type { Events } from '../events/events.ts';
import { putApp, putLogProof, switchOnAgain } from '../library/app-table.ts';
import { type Client, requireMachine } from '../library/client.ts';
import type { InstalledApp, StoreApp } from '../library/installed-app.ts';
import type { Library } from '../library/library.ts';
import { dropBundle, type LibraryStorage } from '../library/library-storage.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import type { StoreKeys } from '../store/store-keys.ts';
import type { Download, StoreReader } from '../store/store-reader.ts';
import { admitVersion, openBundle, requireNotYanked, type SignedVersion } from './admit-version.ts';
import { carriedFrom } from './carried-version.ts';
import { buildConsentPreview, type InstallSheet, needsConsentAgain } from './consent-preview.ts';
import { createHeads, type StaleHead } from './heads.ts';
import { type KeptProof, verifyKeptProof } from './kept-proof.ts';
import { createLogs, type LogWitnesses } from './logs.ts';

/** Installs apps of one store. */
export type Installer = {
  /**
   * The latest version of an app, as the store signed it.
   * @throws RuntimeError as reading a store does, and `not-verified`, `rolled-back`
   */
  latest(appId: string, signal?: AbortSignal): Promise<string>;
  /** The installed apps of which the store last offered a list of versions that was more than three hours old. */
  stale(): StaleHead[];
  /**
   * Downloads and verifies a version, without installing it.
   * @param version default: the latest
   * @throws RuntimeError as reading a store does, and `not-verified`, `invalid-app`, `not-for-this-machine`, `yanked`,
   *   `rolled-back`, `id-taken`, `not-allowed`
   */
  prepareInstall(appId: string, version?: string, signal?: AbortSignal): Promise<InstallSheet>;
  /**
   * Installs a prepared version, with the user's answer if the sheet needs consent.
   * @param sheet the object that `prepareInstall` returned, not a copy
   * @throws RuntimeError `declined`, `consent-needed`, and those of `prepareInstall` when something has changed since
   */
  install(sheet: InstallSheet, answer?: Answer): Promise<InstalledApp>;
  /**
   * Verifies again, without the network, that an installed version is in the log of its store: its bundle, its signature and the proof that
   * was kept with it.
   * @returns null for an app without a proof: of a store without a log, or installed by a client from before it
   * @throws RuntimeError `not-verified` when they do not belong together or the bundle was changed, `not-installed`
   */
  logProof(appId: string): Promise<KeptProof | null>;
};

export type InstallerDeps = {
  system: Pick<System, 'now'>;
  storage: LibraryStorage;
  library: Library;
  events: Events;
  client: Client;
  reader: StoreReader;
  keys: StoreKeys;
  /** Whether apps of the store may have their servers on this machine. */
  localApps?: boolean | undefined;
  /** The hosts among some that are inside a private network. */
  hostsInside?(hosts: readonly string[]): Promise<string[]>;
  /** Whether the user is asked about updates that change what steers agents. */
  askAboutInstructions?: boolean | (() => boolean) | undefined;
  /** The folder in which evidence against a store is saved. Default: nothing is saved. */
  evidenceFolder?: string | undefined;
  /** The witnesses that must have cosigned the log of the store. Default: none. */
  logWitnesses?: LogWitnesses | undefined;
  /** Gets the store's records of what servers list. Default: the first listing of a server is accepted. */
  pins?: Pick<Pins, 'seed'> | undefined;
  /** Refuses an app before it is downloaded, by its id. @throws RuntimeError `not-allowed` */
  requireAllowedId?: ((appId: string) => void) | undefined;
};

/** The verified version of a sheet. */
type Prepared = Download & {
  manifest: Manifest;
  footprint: Footprint;
  asLatest: boolean;
  /** From which store it comes, as this store and that one signed; undefined when it was published here first. */
  carried: OriginStatement | undefined;
  /** What the server of the version listed, as the store recorded it; null without a record. */
  record: ToolRecord | null;
  /** The proof that it is in the log of the store, to be kept with it; null for a store without a log. */
  logProof: string | null;
};

/** How often an install writes its bundle again after another process removed it. */
const MAX_TRIES = 5;

/** A client without private networks. */
const noHosts = async (): Promise<string[]> => [];

const consentNeeded = (): RuntimeError => new RuntimeError('consent-needed');

/** Whether the user agreed to this sheet. */
function hasConsent(sheet: InstallSheet, answer: Answer | undefined): boolean {
  if (answer === undefined) return false;
  if (!answer.accepted) throw new RuntimeError('declined');
  if (answer.binding !== sheet.binding) throw consentNeeded();
  return true;
}

export function createInstaller(deps: InstallerDeps): Installer {
  const { system, storage, library, events, client, reader, keys } = deps;
  const { database, bundles, transact } = storage;
  const { askAboutInstructions: asks = false } = deps;
  /** Read at each update: the user may change it. */
  const aboutNow = () => ({ instructions: typeof asks === 'function' ? asks() : asks });
  const heads = createHeads({ system, storage, events, reader, keys });
  const logs = createLogs({
    ...{ system, storage, events, keys, store: reader.store },
    evidenceFolder: deps.evidenceFolder,
    witnesses: deps.logWitnesses,
    readTile: (tile, signal) => reader.logTile(tile, signal),
    report: (note) => reader.reportCheckpoint(note),
  });
  // Keyed by the sheet object, as a copy could be forged. Released with the sheet.
  const prepared = new WeakMap<InstallSheet, Prepared>();

  const signedVersion = ({ release }: Prepared): SignedVersion => ({ store: reader.store, ...release });

  function requireFreeId(appId: string): void {
    if (library.get(appId)?.source.kind === 'developer') {
      throw new RuntimeError('id-taken', 'A folder of a developer is open under this id.', {
        detail: { appId },
      });
    }
  }

  /**
   * The store's record of the tools of a version, which a moderator saw: another one is no consent. Without such a record, also where the
   * store cannot be asked for it now, the first listing of the server counts.
   */
  async function recordOf(
    { id: appId, version }: Manifest,
    signal?: AbortSignal,
  ): Promise<ToolRecord | null> {
    const answer = await reader.toolRecord({ appId, version }, signal).catch((error: unknown) => {
      if (error instanceof RuntimeError && !signal?.aborted) return null;
      throw error;
    });
    if (answer === null) return null;
    const { keyId = '' } = answer as Partial<ToolRecord>;
    const ring = await keys.forFacts(String(keyId), signal);
    if (verifyToolRecord(answer, ring) && answer.appId === appId && answer.version === version)
      return answer.reviewedAt === undefined ? null : answer;
    throw new RuntimeError(
      'not-verified',
      'The record of the tools of this app is not signed by the store.',
      {
        detail: { appId },
      },
    );
  }

  /** Requires that the company allows an app. @throws RuntimeError `not-allowed` */
  function requireAllowed(manifest: Manifest, { sha256, publishedAt, keyId }: Prepared['release']): void {
    const source = { kind: 'store' as const, store: reader.store, sha256, publishedAt, keyId };
    const { id: appId, version } = manifest;
    const refused = library.refusal({ appId, version, manifest, source });
    if (refused) throw refused;
  }

  /** Verifies a download, and checks that it may replace the installed version. */
  async function verify(download: Download, asLatest: boolean, signal?: AbortSignal) {
    const ring = await keys.forFacts(download.release.keyId, signal);
    const { manifest, footprint } = await openBundle(download, ring, deps.localApps);
    requireMachine(manifest, client);
    requireAllowed(manifest, download.release);
    const carried = await carriedFrom({ keys, store: reader.store }, download, manifest, signal);
    const record = await recordOf(manifest, signal);
    const verified: Prepared = {
      ...download,
      manifest,
      footprint,
      asLatest,
      record,
      carried,
      logProof: null,
    };
    const admit = () => admitVersion(database, signedVersion(verified), asLatest);
    return { one: verified, installed: transact(admit, 'losable') };
  }

  async function prepareInstall(
    appId: string,
    version?: string,
    signal?: AbortSignal,
  ): Promise<InstallSheet> {
    requireFreeId(appId);
    deps.requireAllowedId?.(appId);
    if (version !== undefined) requireNotYanked(database, { appId, version, store: reader.store });
    const since = logs.known();
    const head = await heads.of(appId, signal, { version, size: since.size });
    const resolved = version ?? head?.latest ?? (await reader.detail(appId, signal)).version;
    const download = await reader.download({ appId, version: resolved }, signal);
    // Written to disk while it is verified. If the sheet is never installed, a later start removes it.
    const writing = bundles.keep(download.bytes, download.sha256);
    // Prevents an unhandled rejection if it fails before it is awaited.
    writing.catch(() => undefined);
    try {
      const { one, installed } = await verify(download, version === undefined, signal);
      head?.requireCovered(resolved, download.sha256);
      const { release, footprint } = one;
      const logProof = await logs.requireLogged(
        { facts: factsOf(release, footprint), signed: release },
        since,
        head?.log,
        signal,
      );
      await writing;
      const { mcpUrl, domains } = one.manifest.remote;
      const inside = await (deps.hostsInside ?? noHosts)([
        ...new Set([new URL(mcpUrl).hostname, ...domains]),
      ]);
      const preview = { ...one, inside };
      const sheet = buildConsentPreview(
        reader.store,
        preview,
        installed,
        library.requirementsOf(one),
        aboutNow(),
      );
      prepared.set(sheet, { ...one, logProof });
      return sheet;
    } catch (error) {
      await writing.then(
        () => dropBundle(storage, download.sha256),
        () => undefined,
      );
      throw error;
    }
  }

  /** Replaces the app, after checking everything again; null when the bundle was removed. */
  function replaceApp(
    one: Prepared,
    agreed: boolean,
  ): { before: StoreApp | null; switchedOn: boolean } | null {
    const { manifest, footprint, release } = one;
    return transact(() => {
      const before = admitVersion(database, signedVersion(one), one.asLatest);
      if (!agreed && (before === null || needsConsentAgain(before, footprint, aboutNow())))
        throw consentNeeded();
      if (!bundles.has(release.sha256)) return null;
      putApp(database, {
        appId: manifest.id,
        version: manifest.version,
        manifest,
        consent: footprint,
        source: {
          kind: 'store',
          store: reader.store,
          sha256: release.sha256,
          publishedAt: release.publishedAt,
          keyId: release.keyId,
          installedAt: new Date(system.now()).toISOString(),
        },
        on: true,
      });
      putLogProof(database, manifest.id, one.logProof);
      return { before, switchedOn: switchOnAgain(database, manifest.id) };
    });
  }

  /** Replaces the app and says so in the same turn: no call begins with the new version and is ended as one of the old. */
  async function replaceWithRetries(one: Prepared, agreed: boolean): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const replaced = replaceApp(one, agreed);
      if (replaced) return announce(one, replaced);
      // Another process has removed the bundle with another app.
      await bundles.keep(one.bytes, one.sha256);
    }
    throw new Error('Other processes keep removing the bundle.');
  }

  function announce(
    { manifest: { id: appId, version }, record }: Prepared,
    { before, switchedOn }: { before: StoreApp | null; switchedOn: boolean },
  ): void {
    if (before) dropBundle(storage, before.source.sha256);
    const app = library.get(appId) as InstalledApp;
    if (record && app.version === version) deps.pins?.seed(app, record.tools);
    events.emit({ type: before ? 'app-updated' : 'app-installed', appId, version });
    if (switchedOn) events.emit({ type: 'app-switched', appId, version, on: true, project: null });
  }

  async function install(sheet: InstallSheet, answer?: Answer): Promise<InstalledApp> {
    const verified = prepared.get(sheet);
    if (!verified) throw new RuntimeError('not-verified', 'Only a sheet of this installer can be installed.');
    const agreed = hasConsent(sheet, answer);
    if (sheet.needsConsent && !agreed) throw consentNeeded();
    requireFreeId(verified.manifest.id);
    requireAllowed(verified.manifest, verified.release);
    await replaceWithRetries(verified, agreed);
    return library.get(verified.manifest.id) as InstalledApp;
  }

  async function latest(appId: string, signal?: AbortSignal): Promise<string> {
    return (await heads.of(appId, signal))?.latest ?? (await reader.detail(appId, signal)).version;
  }

  const stale = () => heads.stale().filter(({ appId }) => library.get(appId)?.source.kind === 'store');

  async function logProof(appId: string): Promise<KeptProof | null> {
    const app = library.get(appId);
    if (app?.source.kind !== 'store' || app.source.store !== reader.store)
      throw new RuntimeError('not-installed', undefined, { detail: { appId } });
    return verifyKeptProof({ ...deps, ...storage }, app as StoreApp);
  }

  return { latest, stale, prepareInstall, install, logProof };
}
