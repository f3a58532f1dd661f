import type { RevocationList } from '@svc/contracts';
import type { RouteHandler } from '../access/bind-route.ts';
import type { ReadyPage } from '../http/encoded-page.ts';
import { publicFor, sendCacheable } from '../http/send.ts';
import { etagOf } from '../platform/etag.ts';
import type { LinkIssues } from '../platform/link-issues.ts';
import type { RevocationListing } from './revocation-list.ts';
import { type UndoDeps, undoYank } from './undo-yank.ts';

/** How long the list may be kept by anybody, in seconds: a withdrawal must not wait behind a cache. */
const CACHE_SECONDS = 30;

export type RevocationRouteDeps = UndoDeps & { revocationList: RevocationListing; linkIssues: LinkIssues };

const makePage = (list: RevocationList): ReadyPage => {
  const body = Buffer.from(JSON.stringify(list));
  return {
    body,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': publicFor(CACHE_SECONDS),
      ETag: etagOf(body),
    },
  };
};

/** Every client asks every hour, and the list only grows: its bytes are made once. */
function revocationsRoute({ revocationList }: RevocationRouteDeps): RouteHandler<'revocations'> {
  const pages = new WeakMap<RevocationList, ReadyPage>();
  return async (c) => {
    const list = await revocationList.current();
    const page = pages.get(list) ?? makePage(list);
    pages.set(list, page);
    return sendCacheable(c, page.body, page.headers);
  };
}

/** What clients ask to learn what they must not use, and the administrator's way to take a withdrawal back. */
export const revocationRoutes = (deps: RevocationRouteDeps) => ({
  revocations: revocationsRoute(deps),
  unyank: (async (c, { params, body }) =>
    c.json(
      deps.linkIssues(await undoYank(deps, c.get('caller'), params, body.reason)),
    )) satisfies RouteHandler<'unyank'>,
});
