import { causesOf } from '@svc/contracts/causes';
import { cleanLine } from '@svc/text';
import { systemActor } from '../../core/domain/audit/audit-log.ts';
import { ApiError } from '../../platform/api-error.ts';
import { carryApp, isChosen, isOfApp, type Reading } from './carry-app.ts';
import { isOfOne, namedAfter } from './carry-apps.ts';
import { refuseExport } from './export-format.ts';
import { createExportSource, type ExportSource } from './export-source.ts';
import { type AppEntry, type OpenedExport, openExport } from './open-export.ts';
import type { SyncDeps, SyncSteps } from './sync.ts';
import type { KeptFile, KeptUpstream } from './upstream-store.ts';

/** Apps that are looked at at the same time. */
const AT_ONCE = 4;

/** How far ahead of the clock an export may have begun, in milliseconds. */
const AHEAD_MS = 3_600_000;

/** Apps that a message names. */
const NAMED = 3;

type FedByFiles = KeptUpstream & { file: KeptFile };

/** Longest cause in a message, in characters. */
const CAUSE = 300;

/** Opens exports, and closes them after the work. */
async function withExports<T>(
  path: string,
  older: readonly string[],
  work: (file: OpenedExport, others: readonly OpenedExport[]) => Promise<T>,
): Promise<T> {
  const opened: OpenedExport[] = [];
  const openOne = async (one: string): Promise<OpenedExport> => {
    const file = await openExport(one);
    opened.push(file);
    return file;
  };
  try {
    const file = await openOne(path);
    for (const one of older) await openOne(one);
    return await work(file, opened.slice(1));
  } finally {
    for (const one of opened) await one.close();
  }
}

/** The keys of the store that makes the exports of an upstream. @throws ApiError for an export that it did not sign */
function signersOf({ keys, file: { signers } }: FedByFiles, file: OpenedExport): KeptFile['signers'] {
  const verdict = file.verify(signers.length > 0 ? signers : keys);
  if (verdict.ok) return signers.length > 0 ? verdict.keys : [];
  throw refuseExport(
    `The export is not signed by the store that makes those of ${file.about.store}: ${verdict.message}`,
  );
}

async function* inBatches(apps: AsyncIterable<AppEntry>): AsyncGenerator<AppEntry[]> {
  let batch: AppEntry[] = [];
  for await (const app of apps) {
    batch.push(app);
    if (batch.length < AT_ONCE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Creates what imports exports of upstreams that are read from files. */
export function createImporter(deps: SyncDeps, { open, follow, recorded, holdApps, isSilent }: SyncSteps) {
  /** An upstream as it is now. @throws ApiError when it is read from files no more */
  async function requireFed(id: string): Promise<FedByFiles> {
    const found = await deps.upstreams.find(id);
    if (!found?.file) throw refuseExport('The upstream was removed meanwhile.');
    return { ...found, file: found.file };
  }

  /** @throws ApiError for a store that is no upstream, or is read over the network */
  async function upstreamOf({ about: { store } }: OpenedExport): Promise<FedByFiles> {
    const found = (await deps.upstreams.list()).find(({ address }) => address === store);
    if (!found)
      throw refuseExport(
        `${store} is no upstream of this store: add it with svc-store upstream add FILE --key ID, after you compared its key.`,
      );
    if (!found.file)
      throw refuseExport(
        `${store} is read over the network: remove it, and add it with svc-store upstream add FILE.`,
      );
    return { ...found, file: found.file };
  }

  /** @throws ApiError for an export that is older than the last one, or from the future */
  function requireNext({ file: { last } }: FedByFiles, { at, id }: OpenedExport): void {
    if (Date.parse(at) - deps.clock().getTime() > AHEAD_MS)
      throw refuseExport(`The export began at ${at}, which is in the future: a clock is wrong.`);
    if (!last || at > last.at || id === last.id) return;
    throw refuseExport(
      `The export began at ${at}, and the last one that was imported at ${last.at}: an older one is refused. To take bundles from it, name it as --with of the newer one.`,
    );
  }

  /** Records an export whose list verified: from now on no older one is imported. @throws ApiError when another process was faster */
  async function begin({ id, address, file: before }: FedByFiles, file: OpenedExport): Promise<void> {
    const { at } = file;
    const last = { id: file.id, at, importedAt: null, missing: 0 };
    const next: KeptFile = { signers: signersOf(await requireFed(id), file), last };
    await deps.unitOfWork(async ({ upstreams, audit }) => {
      if (!(await upstreams.keepFile(id, before, next)))
        throw refuseExport('Another process imports an export of this upstream: try again.');
      await upstreams.reached(id, at);
      const detail = { origin: address, at, sha256: file.id };
      const event = { action: 'upstream.import', detail } as const;
      await audit.add(systemActor('operator'), deps.clock().toISOString(), event);
    });
  }

  /** Stops when another process imports a newer export: heads must not go back. */
  async function requireCurrent({ id }: FedByFiles, file: OpenedExport): Promise<void> {
    if ((await requireFed(id)).file.last?.id !== file.id)
      throw refuseExport('Another process imports a newer export of this upstream.');
  }

  /** Whether an app of an export is looked at: it is known, or chosen. */
  async function isWanted(
    { upstream, reader }: Reading,
    appId: string,
    known: ReadonlySet<string>,
  ): Promise<boolean> {
    if (known.has(appId) || upstream.choices.apps.includes(appId)) return true;
    const detail = await reader.detail(appId).catch((error: unknown) => {
      if (isOfApp(error) || isOfOne(error)) return null;
      throw error;
    });
    return detail !== null && isChosen(upstream.choices, detail);
  }

  /** Looks at the apps of a batch. @returns why the first failed whose answers are in the export */
  async function carryBatch(reading: Reading, source: ExportSource, batch: readonly AppEntry[]) {
    await source.load(batch);
    const ids = batch.map(({ appId }) => appId);
    const known = new Set((await deps.upstreams.appsOf(reading.upstream.id, ids)).map(({ appId }) => appId));
    const wanted: string[] = [];
    for (const appId of ids) if (await isWanted(reading, appId, known)) wanted.push(appId);
    const results = await Promise.allSettled(wanted.map((appId) => carryApp(deps, reading, appId)));
    const errors = results.flatMap((one, n) =>
      one.status === 'rejected' ? [{ appId: wanted[n] as string, error: one.reason as unknown }] : [],
    );
    const stops = errors.find(({ error }) => !isOfOne(error));
    if (stops) throw stops.error;
    const failed = errors.find(({ appId }) => !source.missing.has(appId));
    return failed && namedAfter(failed.appId, failed.error);
  }

  async function carry(found: FedByFiles, file: OpenedExport, source: ExportSource): Promise<void> {
    const now = () => Date.parse(file.at);
    const reopen = async () =>
      open((await deps.upstreams.find(found.id)) ?? found, undefined, { reader: source.reader, now });
    // What is yanked there is never carried: its list comes first, and nothing comes without one that verifies.
    await follow(await reopen());
    await begin(found, file);
    if (found.failure?.code === 'forked')
      throw refuseExport(
        `Its yanks were applied, and nothing new comes: ${found.failure.message} See svc-store upstream pin.`,
      );
    const reading = await reopen();
    let failed: unknown = null;
    for await (const batch of inBatches(file.apps())) {
      await requireCurrent(found, file);
      failed ??= await carryBatch(reading, source, batch);
    }
    // The list may name a version that has come since.
    await follow(await reopen());
    if (failed) throw failed;
  }

  /** Says what became of the apps. */
  async function report({ id, address, file: { last } }: FedByFiles): Promise<string> {
    const { carried, waiting, refused, gone } = await deps.upstreams.countApps(id);
    return `The export of ${address} that began at ${last?.at} is imported: ${carried} apps carried, ${waiting} waiting, ${refused} refused, ${gone} gone.`;
  }

  function missingLine({ about: { since } }: OpenedExport, missing: ReadonlySet<string>): string {
    const some = [...missing].slice(0, NAMED).join(', ');
    const more = missing.size > NAMED ? ` and ${missing.size - NAMED} more` : '';
    const begins =
      since === null
        ? ''
        : ` It begins after the export of ${since}: name that one too, with --with, or export`;
    return `The bundles of ${some}${more} are missing.${begins || ' Export'} again with --since the list that svc-store upstream apps prints here.`;
  }

  async function finish(upstream: FedByFiles, missing: ReadonlySet<string>): Promise<void> {
    const { last } = upstream.file;
    if (!last) return;
    const done = { ...last, importedAt: deps.clock().toISOString(), missing: missing.size };
    await deps.upstreams.keepFile(upstream.id, upstream.file, { ...upstream.file, last: done });
    await deps.upstreams.works(upstream.id);
    await holdApps(upstream, isSilent(upstream));
  }

  /** Verifies exports to their last byte. @throws ApiError */
  async function requireWhole(upstream: FedByFiles, files: readonly OpenedExport[]): Promise<void> {
    for (const one of files) {
      if (one.about.store !== upstream.address)
        throw refuseExport(`An export named by --with is of ${one.about.store}.`);
      signersOf(upstream, one);
    }
    for (const one of files) await one.check();
  }

  async function carryAll(upstream: FedByFiles, file: OpenedExport, source: ExportSource): Promise<void> {
    let cause: unknown = null;
    const work = () =>
      carry(upstream, file, source).catch((error: unknown) => {
        cause = error;
        throw error;
      });
    if (!(await recorded(upstream, undefined, work))) throw stopped(cause);
  }

  /**
   * Imports an export: verifies all of it, then its yanks are yanks here, and the apps that are chosen come as over the network. One that
   * was interrupted goes on when it is imported again.
   * @param path of the export
   * @param older paths of exports from before it, for bundles that it lacks
   * @returns what became of the apps
   * @throws ApiError for an export that is damaged, older than the last, of another store or signer; also when bundles are missing
   */
  return (path: string, older: readonly string[]): Promise<string> =>
    withExports(path, older, async (file, others) => {
      const found = await upstreamOf(file);
      requireNext(found, file);
      await requireWhole(found, [file, ...others]);
      const source = await createExportSource(deps.baseUrl, file, others);
      await carryAll(found, file, source);
      const upstream = await requireFed(found.id);
      await finish(upstream, source.missing);
      const said = await report(upstream);
      if (source.missing.size === 0) return said;
      throw refuseExport(`${said} ${missingLine(file, source.missing)}`);
    });
}

/** Why an import stopped, for the operator. */
function stopped(cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause;
  const why = causesOf(cause)
    .map(({ message }) => message)
    .join(': ');
  return refuseExport(
    `The import stopped: ${cleanLine(why, CAUSE)} What was carried until then is listed; import the same file again to go on.`,
  );
}
