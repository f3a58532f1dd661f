import type { RevocationList } from '@svc/contracts';
import { signRevocationHead } from '@svc/signing';
import type { Context } from 'hono';
import { type EncodedPage, encodePage, encodingFor } from '../../http/encoded-page.ts';
import { FOR_EVER, publicFor, sendCacheable } from '../../http/send.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { LinkIssues } from '../../platform/link-issues.ts';
import type { Handlers } from '../access/bind-route.ts';
import type { Parts } from '../domain/parts/parts.ts';
import type { RevocationListing } from './revocation-list.ts';
import { cutList, partsOf } from './segments.ts';
import { type UndoDeps, undoYank } from './undo-yank.ts';

/** How long the list may be cached, in seconds: a yank must not wait for a cache. */
const CACHE_SECONDS = 30;

/** Of how many lists the segments are served: a client asks for them just after it got the head, which a cache may have had. */
const LISTS = 64;

export type RevocationRouteDeps = UndoDeps &
  Pick<Parts, 'signingKey'> & { revocationList: RevocationListing; linkIssues: LinkIssues };

const pageOf = (body: Uint8Array, cache: string): EncodedPage =>
  encodePage(body, { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': cache });

const jsonPage = (value: object): EncodedPage =>
  pageOf(Buffer.from(JSON.stringify(value)), publicFor(CACHE_SECONDS));

/** What is served of a list. */
type Pages = { whole: EncodedPage; head: EncodedPage };

/** Encodes each list once, and each segment once for all lists that have it: every client requests them every hour. */
function createPages({ signingKey, revocationList }: RevocationRouteDeps) {
  const pages = new WeakMap<RevocationList, Promise<Pages>>();
  const recent: ReadonlyMap<string, EncodedPage>[] = [];
  const segmentOf = (sha256: string) => recent.find((segments) => segments.has(sha256))?.get(sha256);

  async function make(list: RevocationList): Promise<Pages> {
    const cutUp = await cutList(list.entries);
    const segments = [...cutUp.segments].map(
      ([sha256, bytes]) => [sha256, segmentOf(sha256) ?? pageOf(bytes, FOR_EVER)] as const,
    );
    recent.unshift(new Map(segments));
    recent.splice(LISTS);
    return {
      whole: jsonPage(list),
      head: jsonPage(signRevocationHead(list, partsOf(cutUp), signingKey)),
    };
  }

  /** The pages of the current list. */
  async function current(): Promise<Pages> {
    const list = await revocationList.current();
    const made = pages.get(list) ?? make(list);
    pages.set(list, made);
    return made;
  }

  return {
    current,
    /** @throws ApiError not_found */
    async segment(sha256: string): Promise<EncodedPage> {
      await current();
      const found = segmentOf(sha256);
      if (!found) throw new ApiError('not_found', 'No revocation list of this store has this segment now.');
      return found;
    },
  };
}

async function send(page: EncodedPage, c: Context): Promise<Response> {
  const { body, headers } = await page.in(encodingFor(c.req.header('accept-encoding')));
  return sendCacheable(c, body, headers);
}

/** The revocation list for clients, whole and in parts, and undoing a yank for administrators. */
export function revocationRoutes(deps: RevocationRouteDeps) {
  const pages = createPages(deps);
  return {
    revocations: async (_request, c) => send((await pages.current()).whole, c),
    revocationHead: async (_request, c) => send((await pages.current()).head, c),
    revocationSegment: async ({ params }, c) => send(await pages.segment(params.sha256), c),
    unyank: async ({ caller, params, body }) =>
      deps.linkIssues(await undoYank(deps, caller, params, body.reason)),
  } satisfies Handlers;
}
