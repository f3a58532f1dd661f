import { originOf } from '../../core/access/context.ts';
import type { HandlersOf } from '../../core/access/extension.ts';
import { createExchange, type ExchangeDeps } from './exchange-id-token.ts';
import {
  addTrustedPublisher,
  listTrustedPublishers,
  removeTrustedPublisher,
  type TrustedPublisherDeps,
} from './trusted-publishers.ts';

export type CiDeps = TrustedPublisherDeps & ExchangeDeps;

/** The routes of owners for the CI workflows that may publish their apps, and of the jobs of these. */
export function ciRoutes(deps: CiDeps): HandlersOf<'ci'> {
  const exchange = createExchange(deps);
  return {
    trustedPublishers: ({ caller, params, query }) =>
      listTrustedPublishers(deps, caller, params.slug, query.appId),
    addTrustedPublisher: ({ caller, params, body }) => addTrustedPublisher(deps, caller, params.slug, body),
    removeTrustedPublisher: ({ caller, params: { slug, id } }) =>
      removeTrustedPublisher(deps, caller, slug, id),
    exchangeIdToken: ({ body }, c) => exchange(body, originOf(c)),
  };
}
