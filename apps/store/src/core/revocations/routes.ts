import type { RevocationList } from '@svc/contracts';
import { type EncodedPage, encodePage, encodingFor } from '../../http/encoded-page.ts';
import { publicFor, sendCacheable } from '../../http/send.ts';
import type { LinkIssues } from '../../platform/link-issues.ts';
import type { Handlers, RouteHandler } from '../access/bind-route.ts';
import type { RevocationListing } from './revocation-list.ts';
import { type UndoDeps, undoYank } from './undo-yank.ts';

/** How long the list may be cached, in seconds: a yank must not wait for a cache. */
const CACHE_SECONDS = 30;

export type RevocationRouteDeps = UndoDeps & { revocationList: RevocationListing; linkIssues: LinkIssues };

const makePage = (list: RevocationList): EncodedPage =>
  encodePage(Buffer.from(JSON.stringify(list)), {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': publicFor(CACHE_SECONDS),
  });

/** Every client requests the list every hour, and it only grows: it is encoded once, and sent compressed to clients that support it. */
function revocationsRoute({ revocationList }: RevocationRouteDeps): RouteHandler<'revocations'> {
  const pages = new WeakMap<RevocationList, EncodedPage>();
  return async (_request, c) => {
    const list = await revocationList.current();
    const page = pages.get(list) ?? makePage(list);
    pages.set(list, page);
    const { body, headers } = await page.in(encodingFor(c.req.header('accept-encoding')));
    return sendCacheable(c, body, headers);
  };
}

/** The revocation list for clients, and undoing a yank for administrators. */
export const revocationRoutes = (deps: RevocationRouteDeps) =>
  ({
    revocations: revocationsRoute(deps),
    unyank: async ({ caller, params, body }) =>
      deps.linkIssues(await undoYank(deps, caller, params, body.reason)),
  }) satisfies Handlers;
