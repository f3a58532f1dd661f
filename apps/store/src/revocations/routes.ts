import type { RevocationList } from '@svc/contracts';
import type { RouteHandler } from '../access/bind-route.ts';
import { type EncodedPage, encodePage } from '../http/encoded-page.ts';
import { encodingFor } from '../http/encoding.ts';
import { publicFor, sendCacheable } from '../http/send.ts';
import type { LinkIssues } from '../platform/link-issues.ts';
import type { RevocationListing } from './revocation-list.ts';
import { type UndoDeps, undoYank } from './undo-yank.ts';

/** How long the list may be kept by anybody, in seconds: a withdrawal must not wait behind a cache. */
const CACHE_SECONDS = 30;

export type RevocationRouteDeps = UndoDeps & { revocationList: RevocationListing; linkIssues: LinkIssues };

const makePage = (list: RevocationList): EncodedPage =>
  encodePage(Buffer.from(JSON.stringify(list)), {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': publicFor(CACHE_SECONDS),
  });

/** Every client asks every hour, and the list only grows: its bytes are made once, and sent compressed to who can read that. */
function revocationsRoute({ revocationList }: RevocationRouteDeps): RouteHandler<'revocations'> {
  const pages = new WeakMap<RevocationList, EncodedPage>();
  return async (c) => {
    const list = await revocationList.current();
    const page = pages.get(list) ?? makePage(list);
    pages.set(list, page);
    const { body, headers } = await page.in(encodingFor(c.req.header('accept-encoding')));
    return sendCacheable(c, body, headers);
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
