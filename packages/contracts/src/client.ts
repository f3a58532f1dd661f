import type { z } from 'zod';
import type { ParamsIn } from './routes/route.ts';
import type { ROUTES, RouteName } from './routes.ts';

// Types of the route table alone: a page that imports this loads neither the table nor the schemas.

type Routes = typeof ROUTES;

/** The routes by method and path. */
type ByEndpoint = {
  [Name in RouteName as `${Uppercase<Routes[Name]['method']>} ${Routes[Name]['path']}`]: Routes[Name];
};

/** A route as it is called, such as `GET /api/apps/:appId`. */
export type Endpoint = keyof ByEndpoint;

type Params<Route> = Route extends { path: infer Path }
  ? [ParamsIn<Path>] extends [never]
    ? unknown
    : { params: { [Name in ParamsIn<Path> & string]: string } }
  : unknown;

/** The names are those of the route; the values travel as text. Those that are undefined are left out. */
type QueryText<Name extends PropertyKey> = { [Key in Name]?: string | number | boolean | undefined };

type Query<Route> = Route extends { query: infer Schema extends z.ZodType }
  ? { query?: QueryText<keyof z.input<Schema>> }
  : unknown;

type Body<Route> = Route extends { body: infer Schema extends z.ZodType }
  ? Route extends { optionalBody: true }
    ? { json?: z.input<Schema> }
    : { json: z.input<Schema> }
  : unknown;

type Input<Route> = Params<Route> & Query<Route> & Body<Route>;
type Arguments<Route> = Record<never, never> extends Input<Route> ? [input?: Input<Route>] : [Input<Route>];

/** The arguments of a request to a route. */
export type ArgumentsOf<Name extends Endpoint> = Arguments<ByEndpoint[Name]>;

/** The response of a route: its JSON body. */
export type ResponseOf<Name extends Endpoint> = ByEndpoint[Name] extends {
  success: { body: infer Schema extends z.ZodType };
}
  ? z.output<Schema>
  : undefined;

/** The codes of the errors that are particular to a route. */
export type ErrorCodeOf<Name extends Endpoint> = ByEndpoint[Name]['errors'][number];

/** The JSON body of a route. */
export type BodyOf<Name extends Endpoint> = ByEndpoint[Name] extends { body: infer Schema extends z.ZodType }
  ? z.input<Schema>
  : never;

/** The query of a route. */
export type QueryOf<Name extends Endpoint> = ByEndpoint[Name] extends {
  query: infer Schema extends z.ZodType;
}
  ? QueryText<keyof z.input<Schema>>
  : never;

/** A name in the query of a route. */
export type QueryName<Name extends Endpoint> = keyof QueryOf<Name> & string;

declare const RESPONSE: unique symbol;

/** A request to the store. Only `apiRequest` creates one, so that its path is one of the table. */
export type ApiRequest<Response> = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path with its query. */
  readonly path: string;
  readonly json?: unknown;
  readonly [RESPONSE]: Response;
};

/** Encodes a parameter of a path. URLs resolve `.` and `..`, which would call another route. */
function segment(text: string): string {
  if (['', '.', '..'].includes(text)) throw new TypeError(`"${text}" cannot be a part of a path.`);
  return encodeURIComponent(text);
}

/**
 * Builds the request to a route of the table; path, query, body and response are typed by it.
 * @throws TypeError for a parameter that is empty, `.` or `..`
 */
export function apiRequest<Name extends Endpoint>(
  endpoint: Name,
  ...[input]: ArgumentsOf<Name>
): ApiRequest<ResponseOf<Name>> {
  const {
    params = {},
    query = {},
    json,
  } = (input ?? {}) as {
    params?: Record<string, string>;
    query?: Record<string, unknown>;
    json?: unknown;
  };
  const [method, template = ''] = endpoint.split(' ', 2);
  const path = template.replace(/:(\w+)(\{\.\+\})?/g, (_all, name: string, rest?: string) => {
    const value = params[name] ?? '';
    return rest === undefined ? segment(value) : value.split('/').map(segment).join('/');
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  const request = {
    method,
    path: search.size === 0 ? path : `${path}?${search}`,
    ...(json !== undefined && { json }),
  };
  return request as unknown as ApiRequest<ResponseOf<Name>>;
}
