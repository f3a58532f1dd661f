import { z } from 'zod';
import { ERRORS, type ErrorCode } from './errors.ts';
import { isForMembers } from './readers.ts';
import { ErrorEnvelope } from './records/envelope.ts';
import { ROUTES, type Route } from './routes.ts';

type Json = Record<string, unknown>;

/** Errors that any route may answer with. */
const ALWAYS = ['internal', 'unavailable'] as const satisfies readonly ErrorCode[];

/** Errors that a route answers with because of who may call it. */
const BY_AUTH = {
  none: [],
  person: ['unauthorized', 'forbidden'],
  developer: ['unauthorized', 'forbidden'],
  moderator: ['unauthorized', 'forbidden'],
  admin: ['unauthorized', 'forbidden'],
} as const satisfies Record<Route['auth'], readonly ErrorCode[]>;

const SCHEMA_ROOT = '#/components/schemas/';

/** `/api/apps/:appId/files/:path{.+}` as OpenAPI writes it: `/api/apps/{appId}/files/{path}`. */
export const openApiPath = (path: string): string => path.replace(/:(\w+)(?:\{[^}]*\})?/g, '{$1}');

/** Errors that a route answers with because of what it takes. */
const byInput = ({ body, query, form, guarded, ranges }: Route): ErrorCode[] => [
  ...(ranges ? ['range_not_satisfiable' as const] : []),
  ...(body || query || form ? ['invalid_request' as const] : []),
  ...(body || form ? ['unsupported_media_type' as const] : []),
  ...(form || guarded ? ['forbidden' as const] : []),
];

/** Where members alone may read, a public route may refuse too. */
const byCaller = (route: Route): readonly ErrorCode[] => BY_AUTH[isForMembers(route) ? 'person' : route.auth];

/** Every code that a route may answer with: its own, those of its input and authorisation, and those of any route. */
export const errorsOf = (route: Route): ErrorCode[] => [
  ...new Set<ErrorCode>([...byInput(route), ...route.errors, ...byCaller(route), ...ALWAYS]),
];

/** The named schemas of the contract as JSON Schema 2020-12, which is what OpenAPI 3.1 speaks. */
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
  const of = (where: 'path' | 'query', schema: z.ZodObject | undefined) =>
    Object.entries(schema?.shape ?? {}).map(([name, field]) => {
      const { $schema: _, description, ...rest } = z.toJSONSchema(field as z.ZodType, { io: 'input' });
      const required = where === 'path' || !(field as z.ZodType).safeParse(undefined).success;
      return { name, in: where, required, ...(description && { description }), schema: rest };
    });
  const headers = Object.entries(route.takes ?? {}).map(([name, description]) => {
    return { name, in: 'header', required: false, description, schema: { type: 'string' } };
  });
  return [...of('path', route.params), ...of('query', route.query), ...headers];
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

/** A page that programs may fetch too: it is refused as what the client prefers. */
const isHtml = ({ success }: Route): boolean => 'type' in success && success.type === 'text/html';

/** A person who must sign in first is led there; what they had sent would be lost on the way. */
const leadsToSignIn = (route: Route): boolean =>
  route.page === true && route.method === 'get' && (route.auth !== 'none' || isForMembers(route));

/** An answer that brings what was asked for. */
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

/** The part that a 206 brings. */
const PART = { 'Content-Range': 'Which bytes these are, and of how many.' };

/** A redirect has the headers of the bytes, and no content. */
function redirection(route: Route, place: string): Json {
  const { content: _none, ...answer } = success(route, `Redirects to ${place}.`, {
    Location: 'A signed address of the bytes, valid for seconds or minutes, for this client alone.',
  });
  return answer;
}

function responses(route: Route): Json {
  const done = 'leadsTo' in route.success ? `Leads to ${route.success.leadsTo}.` : 'Done.';
  const answers: Json = {
    [route.success.status]: success(route, done),
    ...(route.ranges && { 206: success(route, 'The part that `Range` asked for.', PART) }),
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
  if (leadsToSignIn(route)) answers[303] ??= { description: 'Leads to where one signs in.' };
  return answers;
}

/** Where everybody may read nothing needs to come along, where members may their token. */
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
 * The API as an OpenAPI 3.1 document, made from the route table and the record schemas.
 * @param server base address of the store, without a trailing slash
 */
export function openApiDocument(server: string): Json {
  const paths: Record<string, Json> = {};
  for (const [name, route] of Object.entries<Route>(ROUTES)) {
    const path = openApiPath(route.path);
    paths[path] = { ...paths[path], [route.method]: operation(name, route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'svc app store',
      version: '1',
      summary: 'Publish, review, sign and install apps for a chat client.',
      description: 'Every error has the body `ErrorEnvelope`; its `code` is one of a closed table.',
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
