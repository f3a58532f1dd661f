import type { Route, RouteName } from '@svc/contracts';
import { ROUTES } from '@svc/contracts';
import type { Context, Handler, Hono, MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import type { z } from 'zod';
import type { Log } from '../platform/ambient.ts';
import { Refusal } from '../platform/refusal.ts';
import { type CallerDeps, recognise, requireRole } from '../tokens/caller.ts';
import type { Env } from './context.ts';
import { parseJsonBody, parseOr400 } from './parse.ts';

type Field<R, K extends string> = R extends { [P in K]: infer S extends z.ZodType } ? z.output<S> : undefined;

/** What a handler is given: the parts of the request that its route describes, checked. */
export type Request<N extends RouteName> = {
  params: Field<(typeof ROUTES)[N], 'params'>;
  query: Field<(typeof ROUTES)[N], 'query'>;
  body: Field<(typeof ROUTES)[N], 'body'>;
};

/** Turns a checked request into an answer. */
export type RouteHandler<N extends RouteName> = (
  c: Context<Env>,
  request: Request<N>,
) => Response | Promise<Response>;

const EXPOSED = [
  'X-Svc-Sha256',
  'X-Svc-Signature',
  'X-Svc-Key-Id',
  'X-Svc-Published-At',
  'ETag',
  'Link',
  'X-Request-Id',
];

/** What anybody may read, any page may read. Credentials are never involved. */
export const OPEN_TO_ALL = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED.join(','),
};

const openToAll = cors({ origin: '*', allowMethods: ['GET', 'HEAD'], exposeHeaders: EXPOSED });

/** Who was turned away from what moderators and administrators do: whoever runs the store may want to know. */
function tellTurnedAway(log: Log, c: Context<Env>, { path }: Route, error: unknown): void {
  if (!(error instanceof Refusal)) return;
  const { requestId, address, caller } = c.var as Partial<Env['Variables']>;
  log.warn(
    { requestId, address, route: path, code: error.code, actor: caller?.name },
    'Somebody was turned away.',
  );
}

const authorise =
  (
    deps: CallerDeps & { log: Log },
    route: Route,
    role: Exclude<Route['auth'], 'none'>,
  ): MiddlewareHandler<Env> =>
  async (c, next) => {
    const from = { address: c.get('address'), requestId: c.get('requestId') };
    try {
      const caller = await recognise(deps, c.req.header('authorization'), from);
      c.set('caller', caller);
      requireRole(caller, role);
    } catch (error) {
      if (role !== 'developer') tellTurnedAway(deps.log, c, route, error);
      throw error;
    }
    await next();
  };

const answer =
  <N extends RouteName>(route: Route, handler: RouteHandler<N>): Handler<Env> =>
  async (c) => {
    const request = {
      params: route.params && parseOr400(route.params, c.req.param(), ''),
      query: route.query && parseOr400(route.query, c.req.query(), ''),
      body: route.body && (await parseJsonBody(c, route.body, route.optionalBody === true)),
    };
    return handler(c, request as Request<N>);
  };

const refuseMethod =
  (allow: string[]): Handler<Env> =>
  (c) => {
    throw new Refusal('method_not_allowed', `This path takes ${allow.join(', ')}, not ${c.req.method}.`, {
      allow,
    });
  };

/** Sorts a path before those that fit it too: a word comes before a parameter in its place. */
const rankOf = (path: string): string => path.replaceAll(':', '\uffff');

/** The routes of each path, in the order in which paths must be tried: `/api/apps/publish` fits `/api/apps/:appId` too. */
function routesByPath(): [string, [RouteName, Route][]][] {
  const routes = Object.entries<Route>(ROUTES) as [RouteName, Route][];
  return [...Map.groupBy(routes, ([, { path }]) => path)].sort(([a], [b]) =>
    rankOf(a) < rankOf(b) ? -1 : 1,
  );
}

const methodsOf = (routes: readonly [RouteName, Route][]): string[] =>
  routes.flatMap(([, { method }]) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));

/**
 * Binds the handlers to the route table: who may call, what is parsed, and the answer to
 * methods that a path does not have all come from there.
 */
export function bindRoutes(
  app: Hono<Env>,
  deps: CallerDeps & { log: Log },
  handlers: { [N in RouteName]: RouteHandler<N> },
): void {
  for (const [path, routes] of routesByPath()) {
    app.use(path, async (c, next) => {
      // The first path that fits is the one that answers: a later one may fit too.
      if (c.get('route') === undefined) c.set('route', path);
      await next();
    });
    for (const [name, route] of routes) {
      const guard = route.auth === 'none' ? openToAll : authorise(deps, route, route.auth);
      if (route.auth === 'none') app.options(path, openToAll);
      app.on(
        route.method.toUpperCase(),
        path,
        guard,
        answer(route, handlers[name] as RouteHandler<RouteName>),
      );
    }
    // Before the next path is bound, which may fit as well.
    app.all(path, refuseMethod(methodsOf(routes)));
  }
}
