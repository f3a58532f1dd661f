import type { RouteHandler } from '../http/bind-route.ts';
import type { Clock } from '../platform/ambient.ts';
import { changePublisher, createPublisher } from './administer.ts';
import type { PublisherStore } from './publisher-store.ts';

/** What administrators do with publishers. */
export const publisherRoutes = (deps: { publishers: PublisherStore; clock: Clock }) => ({
  createPublisher: (async (c, { body }) =>
    c.json(await createPublisher(deps, body), 201)) satisfies RouteHandler<'createPublisher'>,
  changePublisher: (async (c, { params, body }) =>
    c.json(await changePublisher(deps, params.slug, body))) satisfies RouteHandler<'changePublisher'>,
});
