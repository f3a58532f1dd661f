import type { RouteHandler } from '../http/bind-route.ts';
import { changePublisher, createPublisher, type PublisherDeps } from './administer.ts';

/** What administrators do with publishers. */
export const publisherRoutes = (deps: PublisherDeps) => ({
  createPublisher: (async (c, { body }) =>
    c.json(
      await createPublisher(deps, c.get('caller'), body),
      201,
    )) satisfies RouteHandler<'createPublisher'>,
  changePublisher: (async (c, { params, body }) =>
    c.json(
      await changePublisher(deps, c.get('caller'), params.slug, body),
    )) satisfies RouteHandler<'changePublisher'>,
});
