import type { HandlersOf } from '../../core/access/extension.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import {
  type AdministerDeps,
  addUpstream,
  changeUpstream,
  offeredUpstream,
  presentUpstream,
  removeUpstream,
  requireUpstream,
  searchUpstream,
} from './administer.ts';

/** Apps on a page. */
const PAGE = 100;

export const upstreamRoutes = (deps: AdministerDeps & Pick<Parts, 'apps'>) =>
  ({
    upstreams: async () => {
      const all = await deps.upstreams.list();
      return { upstreams: await Promise.all(all.map((one) => presentUpstream(deps, one))) };
    },
    offeredUpstream: ({ query }) => offeredUpstream(deps, query.address),
    addUpstream: ({ caller, body }) => addUpstream(deps, caller, body),
    changeUpstream: ({ caller, params, body }) => changeUpstream(deps, caller, params.upstream, body),
    removeUpstream: async ({ caller, params }, c) => {
      await removeUpstream(deps, caller, params.upstream);
      return c.body(null, 204);
    },
    upstreamApps: async ({ params, query }) => {
      await requireUpstream(deps, params.upstream);
      const found = await deps.upstreams.appsAfter(params.upstream, query.after ?? '', PAGE + 1);
      const apps = found.slice(0, PAGE).map(({ head: _head, ...app }) => app);
      return { apps, next: found.length > PAGE ? (apps.at(-1)?.appId ?? null) : null };
    },
    searchUpstream: ({ params, query }) => searchUpstream(deps, params.upstream, query.q),
  }) satisfies HandlersOf<'upstreams'>;
