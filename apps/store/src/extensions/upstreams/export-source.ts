import { ROUTES } from '@svc/contracts';
import type { StoreReader } from '@svc/runtime/store-client';
import type { Answers, ExportAnswer } from './export-format.ts';
import type { AppEntry, OpenedExport } from './open-export.ts';
import { openReader } from './sync.ts';

/** The beginning of the paths of requests about an app. */
const APPS = ROUTES.appDetail.path.replace(':appId', '');

/** The end of those about its bundle. */
const BUNDLE = /\/versions\/[^/]+\/bundle$/;

const [NOT_FOUND, UNAVAILABLE] = [404, 503];

/** An app, and the export that has it. */
type Found = { entry: AppEntry; file: OpenedExport };

type Loaded = Found & { answers: Answers };

/** What an export says instead of an answer that it does not have: the state of the app stays as it is. */
const notInIt = (message: string): Response =>
  new Response(JSON.stringify({ code: 'unavailable', message, requestId: 'export' }), {
    status: UNAVAILABLE,
  });

async function responseOf({ status, headers, body }: ExportAnswer, from: Loaded | null): Promise<Response> {
  if ('text' in body) return new Response(body.text, { status, headers });
  const bundle = from?.entry.bundle;
  if (bundle?.sha256 !== body.bundle || !from) return notInIt('Its bundle is not in the export.');
  return new Response(await from.file.read(bundle), { status, headers });
}

/** What reads a store from an export, as over the network. */
export type ExportSource = {
  reader: StoreReader;
  /** Reads what the export has of some apps: it answers about these, and no others. */
  load(apps: readonly AppEntry[]): Promise<void>;
  /** The apps whose bundle was asked for and is in none of the files. */
  missing: Set<string>;
};

/**
 * Creates what reads a store from an export that was checked.
 * @param older exports from before it, which were checked too: bundles that it lacks are taken from them
 */
export async function createExportSource(
  baseUrl: string,
  file: OpenedExport,
  older: readonly OpenedExport[] = [],
): Promise<ExportSource> {
  const loaded = new Map<string, Loaded>();
  const missing = new Set<string>();
  let olderApps: Map<string, Found[]> | null = null;

  /** The bundles of the earlier exports, by the ids of their apps. */
  async function readOlder(): Promise<Map<string, Found[]>> {
    const found = new Map<string, Found[]>();
    for (const one of older)
      for await (const entry of one.apps())
        if (entry.bundle) found.set(entry.appId, [...(found.get(entry.appId) ?? []), { entry, file: one }]);
    return found;
  }

  async function olderBundle(appId: string, path: string): Promise<Response> {
    olderApps ??= await readOlder();
    for (const { entry, file: one } of olderApps.get(appId) ?? []) {
      const answers = await one.answersOf(entry);
      const answer = answers[path];
      if (answer) return responseOf(answer, { entry, answers, file: one });
    }
    missing.add(appId);
    return notInIt('Its bundle is not in the export.');
  }

  async function answer(path: string): Promise<Response> {
    // An export has the list of yanks whole, which the reader then asks for.
    if (path === ROUTES.revocationHead.path) return new Response(null, { status: NOT_FOUND });
    const fixed = file.about.answers[path];
    if (fixed) return responseOf(fixed, null);
    const appId = path.startsWith(APPS)
      ? decodeURIComponent(path.slice(APPS.length).split(/[/?]/, 1)[0] ?? '')
      : '';
    const app = loaded.get(appId);
    const own = app?.answers[path];
    if (app && own) return responseOf(own, app);
    return app && BUNDLE.test(path) ? olderBundle(appId, path) : notInIt('It is not in the export.');
  }

  const { store } = file.about;
  const reader = await openReader(baseUrl, store, (input) => answer(String(input).slice(store.length)));
  return {
    reader,
    missing,
    async load(apps) {
      loaded.clear();
      for (const entry of apps)
        loaded.set(entry.appId, { entry, answers: await file.answersOf(entry), file });
    },
  };
}
