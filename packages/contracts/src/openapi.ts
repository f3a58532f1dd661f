import { z } from 'zod';
import { ERRORS, type ErrorCode } from './errors.ts';
import { isForMembers } from './readers.ts';
import { ErrorEnvelope } from './records/envelope.ts';
import { needsProof } from './routes/effects.ts';
import { ROUTES, type Route, type RouteName, routeNames } from './routes.ts';

type Json = Record<string, unknown>;

/** Errors that every route may return. */
const ALWAYS = ['internal', 'unavailable'] as const satisfies readonly ErrorCode[];

/** Errors of a route that follow from who may call it. */
const BY_AUTH = {
  none: [],
  person: ['unauthorized', 'forbidden', 'publisher_suspended'],
  developer: ['unauthorized', 'forbidden', 'publisher_suspended'],
  moderator: ['unauthorized', 'forbidden', 'passkey_required', 'publisher_suspended'],
  admin: ['unauthorized', 'forbidden', 'passkey_required', 'publisher_suspended'],
} as const satisfies Record<Route['auth'], readonly ErrorCode[]>;

const SCHEMA_ROOT = '#/components/schemas/';

/** `/api/apps/:appId/files/:path{.+}` as OpenAPI writes it: `/api/apps/{appId}/files/{path}`. */
export const openApiPath = (path: string): string => path.replace(/:(\w+)(?:\{[^}]*\})?/g, '{$1}');

/** Errors of a route that follow from its input. */
const byInput = ({ body, query, form, guarded, ranges }: Route): ErrorCode[] => [
  ...(ranges ? ['range_not_satisfiable' as const] : []),
  ...(body || query || form ? ['invalid_request' as const] : []),
  ...(body || form ? ['body_too_large' as const, 'unsupported_media_type' as const] : []),
  ...(form || guarded ? ['forbidden' as const] : []),
];

/** Errors of a route that follow from what its caller must have proved. */
const byProof = (route: Route): ErrorCode[] => [
  ...(needsProof(route) ? ['reauthentication_required' as const] : []),
  ...(route.provenAddress ? ['email_unverified' as const] : []),
];

/** In a store that only members may read, a public route may refuse too. */
const byCaller = (route: Route): readonly ErrorCode[] => BY_AUTH[isForMembers(route) ? 'person' : route.auth];

/** Lists every error code that a route may return: its own, those of its input and authorisation, and those of every route. */
export const errorsOf = (route: Route): ErrorCode[] => [
  ...new Set<ErrorCode>([
    ...byInput(route),
    ...route.errors,
    ...byProof(route),
    ...byCaller(route),
    ...ALWAYS,
  ]),
];

/** The named schemas of the contract as JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
function componentSchemas(): Json {
  const { schemas } = z.toJSONSchema(z.globalRegistry, { uri: (id) => SCHEMA_ROOT + id });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _dialect, $id: _address, ...schema }]) => [id, schema]),
  );
}

function reference(schema: z.ZodType): Json {
  const id = z.globalRegistry.get(schema)?.id;
  if (id === undefined) throw new Error('A schema of the route table has no name: give it .meta({ id }).');
  return { $ref: SCHEMA_ROOT + id };
}

function parameters(route: Route): Json[] {
  const parametersIn = (where: 'path' | 'query', schema: z.ZodObject | undefined) =>
    Object.entries(schema?.shape ?? {}).map(([name, field]) => {
      const { $schema: _, description, ...rest } = z.toJSONSchema(field as z.ZodType, { io: 'input' });
      const required = where === 'path' || !(field as z.ZodType).safeParse(undefined).success;
      return { name, in: where, required, ...(description && { description }), schema: rest };
    });
  const headers = Object.entries(route.takes ?? {}).map(([name, description]) => {
    return { name, in: 'header', required: false, description, schema: { type: 'string' } };
  });
  return [...parametersIn('path', route.params), ...parametersIn('query', route.query), ...headers];
}

function requestBody(route: Route): Json | undefined {
  if (route.body) {
    return {
      required: route.optionalBody !== true,
      content: { 'application/json': { schema: reference(route.body) } },
    };
  }
  if (route.form) {
    const { $schema: _, ...schema } = z.toJSONSchema(route.form, { io: 'input' });
    return { required: true, content: { 'application/x-www-form-urlencoded': { schema } } };
  }
  return route.rawBody ? { required: true, content: { [route.rawBody]: {} } } : undefined;
}

function contentOf({ success, pageToo }: Route): Json | undefined {
  if ('leadsTo' in success) return undefined;
  return 'body' in success
    ? { 'application/json': { schema: reference(success.body) }, ...(pageToo && { 'text/html': {} }) }
    : { [success.type]: {} };
}

/** Whether the route is a page that programs may fetch too: its errors are HTML or JSON, as the client prefers. */
const isHtml = ({ success }: Route): boolean => 'type' in success && success.type === 'text/html';

/** Whether the route redirects a visitor to the sign-in page. Only a GET does: the redirect would lose a request body. */
const redirectsToSignIn = (route: Route): boolean =>
  route.page === true && route.method === 'get' && (route.auth !== 'none' || isForMembers(route));

/** The description of a successful response. */
function success(route: Route, description: string, more: Record<string, string> = {}): Json {
  const content = contentOf(route);
  const headers = Object.entries({ ...route.headers, ...more }).map(([name, meaning]) => [
    name,
    { description: meaning, schema: { type: 'string' } },
  ]);
  return {
    description,
    ...(headers.length && { headers: Object.fromEntries(headers) }),
    ...(content && { content }),
  };
}

/** Header of a 206. */
const PART = { 'Content-Range': 'The byte range of this part, and the total size.' };

/** The description of a redirect: the headers of the file without its content. */
function redirection(route: Route, target: string): Json {
  const { content: _none, ...response } = success(route, `Redirects to ${target}.`, {
    Location:
      'The address to follow. That of a file is signed, and valid for seconds or minutes, for this client only.',
  });
  return response;
}

function responses(route: Route): Json {
  const description = 'leadsTo' in route.success ? `Redirects to ${route.success.leadsTo}.` : 'Success.';
  const answers: Json = {
    [route.success.status]: success(route, description),
    ...(route.ranges && { 206: success(route, 'The requested range.', PART) }),
    ...(route.redirects && { 307: redirection(route, route.redirects) }),
  };
  for (const [status, codes] of Map.groupBy(errorsOf(route), (code) => ERRORS[code].status)) {
    answers[status] = {
      description: codes.map((code) => `\`${code}\`: ${ERRORS[code].when}`).join('\n\n'),
      content: route.page
        ? { 'text/html': {} }
        : {
            'application/json': { schema: reference(ErrorEnvelope) },
            ...((route.pageToo || isHtml(route)) && { 'text/html': {} }),
          },
    };
  }
  if (redirectsToSignIn(route)) answers[303] ??= { description: 'Redirects to the sign-in page.' };
  return answers;
}

/** A route that everyone may read in a public store needs a token in a store that only members may read. */
function securityOf(route: Route): Json[] {
  if (route.auth !== 'none') return [{ bearer: [] }];
  return isForMembers(route) ? [{}, { bearer: [] }] : [];
}

function operation(name: string, route: Route): Json {
  const body = requestBody(route);
  return {
    operationId: name,
    tags: [route.tag],
    summary: route.summary,
    parameters: parameters(route),
    ...(body && { requestBody: body }),
    responses: responses(route),
    security: securityOf(route),
  };
}

/**
 * Builds the OpenAPI 3.1 document from the route table and the record schemas.
 * @param server base URL of the store, without a trailing slash
 * @param names the routes that the store has: all, unless some of its extensions are switched off
 */
export function openApiDocument(server: string, names: ReadonlySet<RouteName> = routeNames()): Json {
  const paths: Record<string, Json> = {};
  for (const [name, route] of Object.entries<Route>(ROUTES)) {
    if (!names.has(name as RouteName)) continue;
    const path = openApiPath(route.path);
    paths[path] = { ...paths[path], [route.method]: operation(name, route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'svc app store',
      version: '1',
      summary: 'Publish, review, sign and install apps for a chat client.',
      description: 'The body of every error is an `ErrorEnvelope`. Its `code` is one of a closed table.',
    },
    servers: [{ url: server }],
    paths,
    components: {
      schemas: componentSchemas(),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A developer or automation token.' },
      },
    },
  };
}
