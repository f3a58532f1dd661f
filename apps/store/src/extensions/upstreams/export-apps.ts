import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AppDetail, type AppHead, LIMITS, Manifest, type UpstreamChoices } from '@svc/contracts';
import { sha256Of } from '../../platform/sha256.ts';
import type { Clock } from '../../platform/system.ts';
import { isChosen, isOfApp } from './carry-app.ts';
import { pagesSince } from './carry-apps.ts';
import { type ExportKeys, isWritten, openWork, putTogether, type Work } from './export-files.ts';
import {
  ABOUT,
  type About,
  type Answers,
  appPath,
  bundlePath,
  ExportedApp,
  HELD,
  type HeldBundles,
  heldText,
  NO_BUNDLE,
  refuseExport,
  type Sum,
} from './export-format.ts';
import { openExport } from './open-export.ts';
import { openReader } from './sync.ts';

/** Apps that are read at the same time. */
const AT_ONCE = 4;

/** Attempts to read what is about one app, and the milliseconds before the second; four times as many before the third. */
const [ATTEMPTS, PAUSE_MS] = [3, 1_000];

/** Longest pause that the store may ask for, in seconds. */
const MAX_RETRY_AFTER = 60;

/** The headers that an import reads. */
const KEPT = /^x-svc-(?:sha256|signature|key-id|published-at|origin)$/;

const BUNDLE = /\/versions\/[^/]+\/bundle$/;

// The runtime takes a tenth of a second to load.
const client = async () => ({
  ...(await import('@svc/runtime/store-client')),
  ...(await import('@svc/runtime/read-answer')),
});

export type ExportDeps = { baseUrl: string; clock: Clock };

/** What an export has: the apps of a store that are chosen, without the bundles that the other side has. */
export type Wanted = { address: string; out: string; choices: UpstreamChoices; since: HeldBundles | null };

/** What an export has become. */
export type ExportReport = {
  store: string;
  at: string;
  id: string;
  apps: number;
  bundles: number;
  bytes: number;
};

/** A `fetch` that keeps each answer of a store: bundles as files, the others as texts. */
function keeping(
  { storeFetch, bytesOf, ANSWERS }: Awaited<ReturnType<typeof client>>,
  address: string,
  answers: Answers,
  keepBundle: (bytes: Uint8Array) => Promise<string>,
): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await storeFetch(input, init);
    const { status } = response;
    const path = String(input).slice(address.length);
    const isBundle = response.ok && BUNDLE.test(path);
    const bytes = await bytesOf(response, isBundle ? LIMITS.bundle.bytes : ANSWERS.store.maxBytes);
    const headers = Object.fromEntries([...response.headers].filter(([name]) => KEPT.test(name)));
    const body = isBundle ? { bundle: await keepBundle(bytes) } : { text: bytes.toString('utf8') };
    answers[path] = { status, headers, body };
    return new Response(bytes, { status, headers: response.headers });
  };
}

/** Runs reading again while the store is busy or away. */
async function patiently<T>(read: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await read();
    } catch (error) {
      const { code, detail } = error as { code?: unknown; detail?: { status?: number; retryAfter?: number } };
      const isBusy = code === 'store-refused' && (detail?.status === 429 || (detail?.status ?? 0) >= 500);
      const isAway = code === 'store-unreachable' || code === 'too-slow';
      if (attempt === ATTEMPTS || !(isBusy || isAway)) throw error;
      const asked = Math.min(detail?.retryAfter ?? 0, MAX_RETRY_AFTER) * 1_000;
      await sleep(asked || PAUSE_MS * 4 ** (attempt - 1));
    }
  }
}

const orNull = <T>(answer: Promise<T>): Promise<T | null> =>
  answer.catch((error: unknown) => {
    if (isOfApp(error)) return null;
    throw error;
  });

const bundleIn = (answers: Answers): string | null => {
  const body = Object.values(answers).find((one) => 'bundle' in one.body)?.body;
  return body && 'bundle' in body ? body.bundle : null;
};

/** The hash of the bundle of the latest version, which an import may need. */
function latestSum(head: AppHead | null, detail: AppDetail | null): string | null {
  if (!head || !detail || detail.origin) return null;
  return head.list?.find(({ version }) => version === head.latest)?.sha256 ?? null;
}

/** Reads what a store answers about apps, into files. */
async function createAppReader({ baseUrl }: ExportDeps, { address, since }: Wanted, work: Work) {
  const parts = await client();
  const keepBundle = async (bytes: Uint8Array): Promise<string> => {
    const sha256 = sha256Of(bytes);
    if (!(await work.has(bundlePath(sha256)))) await work.write(bundlePath(sha256), bytes);
    return sha256;
  };

  /** The bundle that an interrupted export has read. */
  async function readBefore(appId: string, sha256: string): Promise<Answers> {
    const found = ExportedApp.safeParse(await work.readJson(appPath(appId)));
    const all = Object.entries(found.success ? found.data.answers : {});
    const bundles = all.filter(([, { body }]) => 'bundle' in body && body.bundle === sha256);
    return (await work.has(bundlePath(sha256))) ? Object.fromEntries(bundles) : {};
  }

  async function readOnce(appId: string): Promise<{ answers: Answers; held: string }> {
    const answers: Answers = {};
    const reader = await openReader(baseUrl, address, keeping(parts, address, answers, keepBundle));
    const head = await orNull(reader.head(appId));
    const detail = await orNull(reader.detail(appId));
    const sum = latestSum(head, detail);
    if (!head || sum === null) return { answers, held: NO_BUNDLE };
    if (since?.bundles.get(appId) === sum) return { answers, held: sum };
    const before = await readBefore(appId, sum);
    if (bundleIn(before) === null) await orNull(reader.download({ appId, version: head.latest }));
    return { answers: { ...answers, ...before }, held: sum };
  }

  /** Reads an app. @returns the lines of its files, and the bundle that the other side has after the import */
  return async (appId: string): Promise<{ sums: Sum[]; held: string }> => {
    const { answers, held } = await patiently(() => readOnce(appId));
    const bytes = Buffer.from(JSON.stringify({ answers }));
    await work.write(appPath(appId), bytes);
    const bundle = bundleIn(answers);
    const own = { sha256: sha256Of(bytes), name: appPath(appId) };
    return {
      sums: bundle === null ? [own] : [own, { sha256: bundle, name: bundlePath(bundle) }],
      held,
    };
  };
}

/** The ids of the apps of an export, in order: those that are chosen, and those that the other side has. */
async function appIdsOf({ baseUrl }: ExportDeps, { address, choices, since }: Wanted): Promise<string[]> {
  const ids = new Set([...choices.apps, ...(since?.bundles.keys() ?? [])]);
  const reader = await openReader(baseUrl, address);
  if (choices.which !== 'chosen')
    await patiently(async () => {
      for await (const apps of pagesSince({ reader, signal: undefined }, null))
        for (const app of apps) if (isChosen(choices, app)) ids.add(app.appId);
    });
  return [...ids].filter((appId) => Manifest.shape.id.safeParse(appId).success).sort();
}

/** Reads what is about no app. */
async function readAbout({ baseUrl }: ExportDeps, { address, since }: Wanted): Promise<About> {
  const parts = await client();
  const none = async () => {
    throw new TypeError('This answer is no bundle.');
  };
  return patiently(async () => {
    const answers: Answers = {};
    const reader = await openReader(baseUrl, address, keeping(parts, address, answers, none));
    await reader.keys();
    await reader.revocations();
    return { store: reader.store, since: since?.at ?? null, answers };
  });
}

async function write(deps: ExportDeps, keys: ExportKeys, wanted: Wanted, work: Work): Promise<void> {
  const at = deps.clock().toISOString();
  const about = await readAbout(deps, wanted);
  if (wanted.since && wanted.since.store !== about.store)
    throw refuseExport(`--since names apps of ${wanted.since.store}, and not of ${about.store}.`);
  const readApp = await createAppReader(deps, wanted, work);
  const ids = await appIdsOf(deps, wanted);
  const sums: Sum[] = [];
  const bundles = new Map<string, string>();
  for (let n = 0; n < ids.length; n += AT_ONCE) {
    const some = ids.slice(n, n + AT_ONCE);
    // What others have read by then is kept for the next attempt.
    const read = await Promise.allSettled(some.map(readApp));
    for (const [i, app] of read.entries()) {
      if (app.status === 'rejected') throw app.reason;
      sums.push(...app.value.sums);
      bundles.set(some[i] as string, app.value.held);
    }
  }
  const held = Buffer.from(heldText({ store: about.store, at, bundles }));
  const first = [[HELD, held] as const, [ABOUT, Buffer.from(JSON.stringify(about))] as const];
  await putTogether(work, wanted.out, { at, keys, first, sums });
}

/** What an export has. */
async function reportOf(out: string): Promise<ExportReport> {
  const file = await openExport(out);
  try {
    const report = { store: file.about.store, at: file.at, id: file.id, apps: 0, bundles: 0 };
    for await (const { bundle } of file.apps()) {
      report.apps += 1;
      report.bundles += Number(bundle !== null);
    }
    return { ...report, bytes: (await stat(out)).size };
  } finally {
    await file.close();
  }
}

/**
 * Writes an export of apps of a store: a file that the other side of an air gap imports. One that was interrupted goes on with the bundles
 * that it has. No more than one bundle for each of the apps that are read at the same time is in memory.
 * @param keys those of the store that makes the export
 * @param record records that it was written; again when that was interrupted
 * @throws ApiError when the file is there already; errors of the reader and the disk
 */
export async function writeExport(
  deps: ExportDeps,
  keys: ExportKeys,
  wanted: Wanted,
  record: (report: ExportReport) => Promise<unknown>,
): Promise<ExportReport> {
  const isDone = await isWritten(wanted.out);
  const work = openWork(wanted.out);
  if (!isDone) await write(deps, keys, wanted, work);
  const report = await reportOf(wanted.out);
  await record(report);
  await work.remove();
  return report;
}
