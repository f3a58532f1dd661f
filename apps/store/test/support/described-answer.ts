import { openApiDocument, openApiPath, ROUTES, type Route } from '@svc/contracts';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

type Answer = { content?: Record<string, { schema?: { $ref: string } }>; headers?: Record<string, unknown> };
type Document = { paths: Record<string, Record<string, { responses: Record<string, Answer> }>> };

const document = openApiDocument('https://store.test') as unknown as Document;
const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addFormat('base64', /^[A-Za-z0-9+/]*={0,2}$/);
ajv.addSchema(document, 'api');
const compiled = new Map<string, ValidateFunction>();

function validatorOf(reference: string): ValidateFunction {
  const validate = compiled.get(reference) ?? ajv.compile({ $ref: `api${reference}` });
  compiled.set(reference, validate);
  return validate;
}

const PATTERNS = Object.values<Route>(ROUTES).map((route) => ({
  route,
  pattern: new RegExp(`^${route.path.replace(/:\w+\{\.\+\}/g, '.+').replace(/:\w+/g, '[^/]+')}$`),
}));

/** Paths without parameters come before those with parameters (OpenAPI 3.1, Paths Object). */
const routeOf = (method: string, path: string): Route | undefined => {
  const fitting = PATTERNS.filter(
    ({ route, pattern }) => route.method === method.toLowerCase() && pattern.test(path),
  ).map(({ route }) => route);
  return fitting.find((route) => route.path === path) ?? fitting[0];
};

/**
 * Fails unless a response matches the description of the API: status, media type, body, headers. For a path without a route, only the
 * error envelope is checked.
 */
export async function expectDescribed(method: string, url: string, response: Response): Promise<void> {
  if (method === 'HEAD' || method === 'OPTIONS') return;
  const route = routeOf(method, new URL(url).pathname);
  const say = `${method} ${new URL(url).pathname} answered ${response.status}`;
  const isPage = response.headers.get('content-type')?.startsWith('text/html') ?? false;
  // Browsers get the error as a page.
  if (isPage && (!route || response.status === 405)) return;
  if (!route || response.status === 405)
    return expectBody(say, '#/components/schemas/ErrorEnvelope', response);
  if (response.status === 304) return;
  const answer = document.paths[openApiPath(route.path)]?.[route.method]?.responses[response.status];
  if (!answer)
    throw new Error(`${say}, which the description does not announce: ${await response.clone().text()}`);
  const missing = Object.keys(answer.headers ?? {}).filter(
    (name) => name !== 'Link' && name !== 'X-Svc-Origin' && !response.headers.has(name),
  );
  if (missing.length > 0) throw new Error(`${say} without the header ${missing.join(', ')}`);
  // Where a page is described too, it is the response for clients that prefer HTML.
  if (isPage && answer.content?.['text/html']) return;
  const reference = answer.content?.['application/json']?.schema?.$ref;
  if (reference) await expectBody(say, reference, response);
}

async function expectBody(say: string, reference: string, response: Response): Promise<void> {
  const validate = validatorOf(reference);
  const body = await response.clone().json();
  if (validate(body)) return;
  throw new Error(
    `${say} with a body that is not ${reference}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(body)}`,
  );
}
