import {
  type CoreRouteName,
  isForMembers,
  ROUTES,
  type Route,
  type RouteName,
  type TokenScope,
} from '@svc/contracts';
import type { Context, Handler, Hono, MiddlewareHandler } from 'hono';
import { accepts } from 'hono/accepts';
import { cors } from 'hono/cors';
import type { z } from 'zod';
import { parseForm, parseJsonBody, parseOr400 } from '../../http/parse.ts';
import { ApiError } from '../../platform/api-error.ts';
import { type Caller, type PersonCaller, requireApp } from '../domain/identity/caller.ts';
import { type AuthoriseDeps, authorise, callerOf, lacksProof } from './authorise.ts';
import type { Env } from './context.ts';
import { CSRF_HEADER, type CsrfDeps, verifyCsrf } from './csrf.ts';

/** The scopes of which a token must have at least one; sessions and automation need none. */
const scopesFor = (name: RouteName): readonly TokenScope[] =>
  name === 'versionStatus' ? ['status', 'read'] : ['read'];

/** Refuses a token without a scope to read, such as one that is older than this scope. @throws ApiError forbidden */
function requireReadScope(caller: Caller, name: RouteName): void {
  if (caller.kind !== 'token' || scopesFor(name).some((scope) => caller.scopes.includes(scope))) return;
  throw new ApiError(
    'forbidden',
    'This store is for members, and the token lacks the scope read: sign in again with svc login, or create a token with that scope on your account page.',
  );
}

/**
 * Refuses a token that is bound to one app any request about another. The revocation list is open to every token: no client may run an
 * app without it.
 * @throws ApiError forbidden
 */
function requireAboutApp(caller: Caller, name: RouteName, appId: string | undefined): void {
  if (name !== 'revocations') requireApp(caller, appId ?? '');
}

/**
 * Creates middleware for stores that only members may read: it refuses other callers, and keeps responses out of shared caches.
 * @param name the name of a route that is for members
 */
const requireReader =
  (deps: AuthoriseDeps, name: RouteName): MiddlewareHandler<Env> =>
  async (c, next) => {
    if (deps.accessRules.now().read === 'public') return next();
    const caller = await callerOf(deps, c);
    c.set('caller', caller);
    requireReadScope(caller, name);
    requireAboutApp(caller, name, c.req.param('appId'));
    await next();
    // RFC 9111 section 3.5: a shared cache may store a response with `public`, although the request was authenticated.
    c.header('Cache-Control', c.res.headers.get('Cache-Control')?.replace(/\bpublic\b/, 'private'));
    c.header('Vary', 'Authorization, Cookie', { append: true });
  };

/** The fields of a form as they were sent, without its CSRF token. */
export type FormFields = Record<string, string>;

type BindDeps = AuthoriseDeps &
  CsrfDeps & {
    /**
     * Takes the proof of identity in a form that needs one. Returns the fields without it; or the page that asks for it, and sends the
     * form again.
     */
    proveInForm(c: Context<Env>, caller: PersonCaller, fields: FormFields): Promise<FormFields | Response>;
  };

type Field<R, K extends string> = R extends { [P in K]: infer S extends z.ZodType } ? z.output<S> : undefined;

type CallerOf<R> = R extends { auth: 'none' }
  ? undefined
  : R extends { auth: 'person' }
    ? PersonCaller
    : Caller;

/** The parsed parts of a request that its route declares, and its caller. */
export type Request<N extends RouteName> = {
  caller: CallerOf<(typeof ROUTES)[N]>;
  params: Field<(typeof ROUTES)[N], 'params'>;
  query: Field<(typeof ROUTES)[N], 'query'>;
  body: Field<(typeof ROUTES)[N], 'body'>;
  form: Field<(typeof ROUTES)[N], 'form'>;
};

type BodyOf<R> = R extends { success: { body: infer S extends z.ZodType } } ? z.input<S> : never;

/** Answers a request: with the JSON body of its route, which is not cached, or with a response of its own. */
export type RouteHandler<N extends RouteName> = (
  request: Request<N>,
  c: Context<Env>,
) => Response | BodyOf<(typeof ROUTES)[N]> | Promise<Response | BodyOf<(typeof ROUTES)[N]>>;

/** The handlers of some routes, by their names in the table. */
export type Handlers = { [N in RouteName]?: RouteHandler<N> };

const EXPOSED = [
  'X-Svc-Sha256',
  'X-Svc-Signature',
  'X-Svc-Key-Id',
  'X-Svc-Published-At',
  'X-Svc-Origin',
  'ETag',
  'Accept-Ranges',
  'Content-Range',
  'Link',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Request-Id',
];

/** CORS headers of public routes: pages of any site may read them, without credentials. */
export const OPEN_TO_ALL = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED.join(','),
};

const openToAll = (methods: string[]): MiddlewareHandler<Env> =>
  cors({ origin: '*', allowMethods: methods, exposeHeaders: EXPOSED });

/** For the answers of such a route; what a browser asks before is answered for its path. */
const asOpen = openToAll([]);

/**
 * Whether pages of any site may call a route: every route without authentication, except pages, routes that a visitor's cookie guards,
 * and routes that are closed on purpose.
 */
const isOpenToAll = ({ auth, page, form, guarded, closed }: Route): boolean =>
  auth === 'none' && !(page || form || guarded || closed);

/** Whether another site could make a browser send this request, which is then authenticated by cookies alone. */
function isForgeable(c: Context<Env>, { method, form, guarded, signed }: Route): boolean {
  if (signed) return false;
  const caller = c.get('caller') as Caller | undefined;
  return method !== 'get' && (caller?.kind === 'person' || form !== undefined || guarded === true);
}

/** The query of a request. An empty cursor is none: clients send it with the first page. */
function queryOf(c: Context<Env>): Record<string, string> {
  const { cursor, ...rest } = c.req.query();
  return cursor ? { ...rest, cursor } : rest;
}

const answer =
  <N extends RouteName>(deps: BindDeps, route: Route, handler: RouteHandler<N>): Handler<Env> =>
  async (c) => {
    const { csrf = c.req.header(CSRF_HEADER), ...sent } = route.form ? await parseForm(c, route.maxBody) : {};
    if (isForgeable(c, route)) verifyCsrf(deps, c, csrf);
    const caller = c.get('caller');
    const fields =
      route.form && caller?.kind === 'person' && lacksProof(deps, route, caller)
        ? await deps.proveInForm(c, caller, sent)
        : sent;
    if (fields instanceof Response) return fields;
    const request = {
      caller,
      form: route.form && parseOr400(route.form, fields, ''),
      params: route.params && parseOr400(route.params, c.req.param(), ''),
      query: route.query && parseOr400(route.query, queryOf(c), ''),
      body:
        route.body &&
        (await parseJsonBody(c, route.body, { optional: route.optionalBody === true, max: route.maxBody })),
    };
    const answered = await handler(request as Request<N>, c);
    if (answered instanceof Response) return answered;
    const { status } = route.success as { status: 200 | 201 };
    return c.json(answered, status, { 'Cache-Control': 'no-store' });
  };

const asPage =
  ({ secretAddress }: Route): MiddlewareHandler<Env> =>
  async (c, next) => {
    c.set('isPage', true);
    c.set('hasSecretAddress', secretAddress === true);
    await next();
  };

/** Whether the caller prefers HTML: a browser does, a program without an Accept header does not. */
export function prefersPage(c: Context<Env>): boolean {
  const types = { supports: ['application/json', 'text/html'], default: 'application/json' };
  return accepts(c, { header: 'Accept', ...types }) === 'text/html';
}

const asPageIfPreferred: MiddlewareHandler<Env> = async (c, next) => {
  if (prefersPage(c)) c.set('isPage', true);
  await next();
  c.header('Vary', 'Accept', { append: true });
};

/** For a public page: its refusals, which are not cached, are pages only for browsers. */
const refusedAsPageIfPreferred: MiddlewareHandler<Env> = async (c, next) => {
  if (prefersPage(c)) c.set('isPage', true);
  await next();
};

const isHtml = ({ success }: Route): boolean => 'type' in success && success.type === 'text/html';

const withErrorField: MiddlewareHandler<Env> = async (c, next) => {
  c.set('hasErrorField', true);
  await next();
};

const asScim: MiddlewareHandler<Env> = async (c, next) => {
  c.set('isScim', true);
  await next();
};

function pageGuardsOf(route: Route): MiddlewareHandler<Env>[] {
  if (route.page) return [asPage(route)];
  if (route.pageToo) return [asPageIfPreferred];
  return isHtml(route) ? [refusedAsPageIfPreferred] : [];
}

function guardsOf(deps: BindDeps, name: RouteName, route: Route): MiddlewareHandler<Env>[] {
  const page = [
    ...pageGuardsOf(route),
    ...(route.errorField ? [withErrorField] : []),
    ...(route.scim ? [asScim] : []),
  ];
  if (route.auth !== 'none') return [...page, authorise(deps, route, route.auth)];
  const open = isOpenToAll(route) ? [asOpen] : [];
  return [...open, ...page, ...(isForMembers(route) ? [requireReader(deps, name)] : [])];
}

const refuseMethod =
  (allow: string[], hints: string[]): Handler<Env> =>
  (c) => {
    if (prefersPage(c)) c.set('isPage', true);
    const message = `This path supports ${allow.join(', ')}, not ${c.req.method}.`;
    throw new ApiError('method_not_allowed', [message, ...hints].join(' '), { allow });
  };

/** Sort key of a path: a literal segment comes before a parameter in the same position. */
const rankOf = (path: string): string => path.replaceAll(':', '\uffff');

/** The routes by path, in matching order: `/api/apps/publish` matches `/api/apps/:appId` too. */
const BY_PATH = [
  ...Map.groupBy(Object.entries<Route>(ROUTES) as [RouteName, Route][], ([, { path }]) => path),
].sort(([a], [b]) => (rankOf(a) < rankOf(b) ? -1 : 1));

const methodsOf = (routes: readonly [RouteName, Route][]): string[] =>
  routes.flatMap(([, { method }]) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));

/**
 * Binds the handlers to the route table, which declares who may call a route, how requests are parsed, and the methods of each path.
 * A route without a handler is that of an extension that the store does not have: nothing is at its path.
 */
export function bindRoutes(
  app: Hono<Env>,
  deps: BindDeps,
  handlers: Required<Pick<Handlers, CoreRouteName>> & Handlers,
): void {
  for (const [path, all] of BY_PATH) {
    const routes = all.filter(([name]) => handlers[name] !== undefined);
    if (routes.length === 0) continue;
    app.use(path, async (c, next) => {
      c.set('route', path);
      await next();
    });
    const open = routes.filter(([, route]) => isOpenToAll(route));
    if (open.length > 0) app.options(path, openToAll(methodsOf(open)));
    for (const [name, route] of routes) {
      const guards = guardsOf(deps, name, route);
      const handler = answer(deps, route, handlers[name] as RouteHandler<RouteName>);
      app.on(route.method.toUpperCase(), [path], ...guards, handler);
    }
    // Before the next path is bound, which may match as well.
    const hints = routes.flatMap(([, { methodHint = [] }]) => methodHint);
    app.all(path, refuseMethod(methodsOf(routes), hints));
  }
}
