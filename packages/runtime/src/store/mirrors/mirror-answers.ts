import {
  AppHead,
  CatalogEntry,
  Deprecations,
  type MirrorAnswer,
  MirrorApps,
  type MirrorIndex,
  MirrorLog,
  ROUTES,
} from '@svc/contracts';
import { mirrorPart } from '@svc/signing';
import { z } from 'zod';
import { parseAnswer } from '../../network/read-answer.ts';
import { catalogPage } from './mirror-catalog.ts';
import type { MirrorFiles } from './mirror-files.ts';
import { proofIn } from './mirror-log.ts';

/** The beginning of the paths of requests about an app. */
const APPS = ROUTES.appDetail.path.replace(':appId', '');

const NOT_FOUND = 404;

/** Parts of the catalogue that are fetched at the same time. */
const AT_ONCE = 8;

const Entries = z.object({ apps: z.array(CatalogEntry) });

const jsonAnswer = (value: unknown): Response =>
  new Response(JSON.stringify(value), { headers: { 'Content-Type': 'application/json' } });

/** What a request asks for: the URL below the address of the store, and the ETag that the client has. */
type Asked = { url: URL; known: string | null };

/** Answers requests from the files of a mirror, as the store would. Each answer is null where only the store can give it. */
export function createMirrorAnswers(files: MirrorFiles) {
  const bytesIn = async ({ body }: MirrorAnswer, signal: AbortSignal): Promise<Buffer<ArrayBuffer>> =>
    'text' in body ? Buffer.from(body.text) : files.file(body.sha256, body.kind, signal);

  async function responseOf(
    answer: MirrorAnswer,
    known: string | null,
    signal: AbortSignal,
  ): Promise<Response> {
    const headers = new Headers(answer.headers);
    const tag = headers.get('etag');
    if (tag !== null && tag === known) return new Response(null, { status: 304, headers });
    return new Response(await bytesIn(answer, signal), { status: answer.status, headers });
  }

  async function catalog(
    index: MirrorIndex,
    { searchParams }: URL,
    signal: AbortSignal,
  ): Promise<Response | null> {
    const entries: CatalogEntry[] = [];
    for (let n = 0; n < index.entries.length; n += AT_ONCE) {
      const some = index.entries.slice(n, n + AT_ONCE).map((part) => files.json(part, Entries, signal));
      for (const { apps } of await Promise.all(some)) entries.push(...apps);
    }
    const page = catalogPage(entries, searchParams);
    return page && jsonAnswer(page);
  }

  async function deprecations(
    index: MirrorIndex,
    { searchParams }: URL,
    signal: AbortSignal,
  ): Promise<Response> {
    const asked = new Set((searchParams.get('apps') ?? '').split(','));
    const { apps } = await files.json(index.deprecations, Deprecations, signal);
    return jsonAnswer({ apps: apps.filter(({ appId }) => asked.has(appId)) });
  }

  /** A head with the proof that a version is in the log. */
  async function loggedHead(
    index: MirrorIndex,
    { answers, logged }: MirrorApps,
    { searchParams, pathname }: URL,
    signal: AbortSignal,
  ): Promise<Response | null> {
    const answer = answers[`${pathname}?list=1`];
    if (answer?.status !== 200 || index.log === null) return answer ? responseOf(answer, null, signal) : null;
    const head = AppHead.parse(parseAnswer((await bytesIn(answer, signal)).toString('utf8')));
    const place = logged[`${head.appId} ${searchParams.get('version') ?? head.latest}`];
    if (!place) return null;
    const log = await files.json(index.log, MirrorLog, signal);
    const since = Number(searchParams.get('log'));
    return jsonAnswer({ ...head, log: await proofIn(files, log, place, since, signal) });
  }

  async function aboutApp(index: MirrorIndex, { url, known }: Asked, signal: AbortSignal) {
    const appId = decodeURIComponent(url.pathname.slice(APPS.length).split('/', 1)[0] ?? '');
    const part = await files.json(
      index.apps[mirrorPart(appId, index.apps.length)] as string,
      MirrorApps,
      signal,
    );
    if (url.searchParams.has('log')) return loggedHead(index, part, url, signal);
    const answer = part.answers[url.pathname + url.search];
    return answer ? responseOf(answer, known, signal) : null;
  }

  return {
    /** @throws MirrorError, and errors of the network, for what makes the mirror useless for this request */
    async answer(index: MirrorIndex, asked: Asked, signal: AbortSignal): Promise<Response | null> {
      const { url } = asked;
      const fixed = index.answers[url.pathname + url.search];
      if (fixed) return responseOf(fixed, asked.known, signal);
      // A mirror has the list of yanks whole, which clients then ask for.
      if (url.pathname === ROUTES.revocationHead.path) return new Response(null, { status: NOT_FOUND });
      if (url.pathname === ROUTES.catalog.path) return catalog(index, url, signal);
      if (url.pathname === ROUTES.deprecations.path) return deprecations(index, url, signal);
      return url.pathname.startsWith(APPS) ? aboutApp(index, asked, signal) : null;
    },
  };
}
