import {
  ERRORS,
  errorsOf,
  MANIFEST_SCHEMA_PATH,
  openApiDocument,
  openApiPath,
  ROUTES,
  type Route,
  type RouteName,
} from '@svc/contracts';
import { count } from '@svc/text/quantity';
import { html } from 'hono/html';
import { type DocsPage, docsPage } from '../../core/web/docs-page.ts';
import { codeBlock, codeTabs } from '../../http/code-block.ts';
import { type Html, withCode, wrapsBefore } from '../../http/html.ts';
import { besides, type Crumb } from '../../http/shell.ts';
import { table } from '../../http/table.ts';
import { matcher } from './matcher.ts';

type Json = Record<string, unknown>;
type Schemas = Readonly<Record<string, Json>>;

const AUTH_LABEL: Record<Route['auth'], string> = {
  none: 'everyone, without signing in',
  person: 'signed-in users',
  developer: 'developer tokens and signed-in users',
  moderator: 'moderators',
  admin: 'administrators',
};

const refName = (schema: Json): string | undefined =>
  typeof schema.$ref === 'string' ? schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1) : undefined;

const addressOfTag = (tag: string): string => `/api/docs?${new URLSearchParams({ tag })}`;

/** The parts with the records: all of them on one page would be too long for it. */
const RECORDS_TAGS = ['Records A to L', 'Records M to Z'] as const;

const tagOfRecord = (name: string): string => RECORDS_TAGS[name < 'M' ? 0 : 1];

const addressOfRecord = (name: string): string => `${addressOfTag(tagOfRecord(name))}#schema-${name}`;

/** The type of a JSON Schema, in a few words. */
function typeOf(schema: Json): ReturnType<typeof html> {
  const name = refName(schema);
  if (name) return html`<a href="${addressOfRecord(name)}">${name}</a>`;
  if (Array.isArray(schema.enum))
    return html`${schema.enum.map((value) => JSON.stringify(value)).join(' | ')}`;
  if (schema.const !== undefined) return html`${JSON.stringify(schema.const)}`;
  if (Array.isArray(schema.anyOf)) {
    return html`${schema.anyOf.map((option: Json, i: number) => html`${i > 0 ? ' | ' : ''}${typeOf(option)}`)}`;
  }
  if (schema.type === 'array') return html`${typeOf((schema.items ?? {}) as Json)}[]`;
  if (schema.type === 'object' && schema.properties)
    return html`{ ${Object.keys(schema.properties as Json).join(', ')} }`;
  return html`${String(schema.type ?? 'any')}`;
}

const field = (name: string, schema: Json, required: boolean) => html`
  <tr>
    <th scope="row" class="code">${name}</th>
    <td>${typeOf(schema)}</td>
    <td>${required ? 'required' : 'optional'}</td>
    <td>${withCode(String(schema.description ?? ''))}</td>
  </tr>`;

function fields(label: string, schema: Json) {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>);
  const required = new Set((schema.required ?? []) as string[]);
  const rows = properties.map(([name, property]) => field(name, property, required.has(name)));
  return table(label, ['Field', 'Type', 'Presence', 'Description'], rows);
}

/** How deep a value of an example is nested; a schema may contain itself. */
const MAX_DEPTH = 6;

/** Texts that stand in for a format of JSON Schema. */
const STAND_INS: Readonly<Record<string, string>> = {
  'date-time': '2030-01-31T12:00:00.000Z',
  date: '2030-01-31',
  email: 'user@example.com',
  uri: 'https://example.com/',
};

type Sampled = (part: unknown) => unknown;

/** The required fields of an object, or all when none is. */
function sampleFields({ properties = {}, required }: Json, sampled: Sampled): Json {
  const fields = Object.entries(properties as Json);
  const names = (required ?? []) as string[];
  const shown = names.length === 0 ? fields : fields.filter(([name]) => names.includes(name));
  return Object.fromEntries(shown.map(([name, property]) => [name, sampled(property)]));
}

const SAMPLES: Readonly<Record<string, (schema: Json, sampled: Sampled) => unknown>> = {
  array: ({ items }, sampled) => [sampled(items)],
  boolean: () => true,
  integer: ({ minimum }) => Math.max(1, Number(minimum ?? 1)),
  object: sampleFields,
  string: ({ format }) => STAND_INS[String(format)] ?? '…',
};

/** A value that a JSON Schema describes, with stand-ins for texts. */
function sampleOf(schema: Json, schemas: Schemas, depth = 0): unknown {
  if (depth > MAX_DEPTH) return null;
  const sampled: Sampled = (part) => sampleOf((part ?? {}) as Json, schemas, depth + 1);
  const name = refName(schema);
  if (name) return sampled(schemas[name]);
  const [choice] = [schema.const ?? [], schema.enum ?? []].flat();
  if (choice !== undefined) return choice;
  if (Array.isArray(schema.anyOf)) return sampled(schema.anyOf[0]);
  const [type] = [schema.type].flat();
  return SAMPLES[String(type)]?.(schema, sampled) ?? {};
}

type Operation = { name: string; route: Route; described: Json };

/** How to call an endpoint from a terminal and from JavaScript, with the address of this store. */
function example(baseUrl: string, name: string, { method, path, auth, ...route }: Route): Html {
  const address = `${baseUrl}${path.replace(/:(\w+)|\*(\w+)/g, (_, one, rest) => `{${one ?? rest}}`)}`;
  const verb = method.toUpperCase();
  const isJson = 'body' in route;
  const curl = [
    'curl',
    ...(method === 'get' ? [] : ['-X', verb]),
    ...(auth === 'none' ? [] : [`-H "Authorization: Bearer $SVC_TOKEN"`]),
    ...(isJson ? [`-H 'Content-Type: application/json' -d @body.json`] : []),
    `'${address}'`,
  ].join(' ');
  const headers = [
    ...(auth === 'none' ? [] : ["Authorization: 'Bearer ' + token"]),
    ...(isJson ? ["'Content-Type': 'application/json'"] : []),
  ];
  const options = [
    ...(method === 'get' ? [] : [`method: '${verb}'`]),
    ...(headers.length === 0 ? [] : [`headers: { ${headers.join(', ')} }`]),
    ...(isJson ? ['body: JSON.stringify(body)'] : []),
  ];
  const js = `const response = await fetch('${address}'${options.length === 0 ? '' : `, { ${options.join(', ')} }`});`;
  return codeTabs(`example-${name}`, 'Example with', { curl: codeBlock(curl), JavaScript: codeBlock(js) });
}

type Parameter = { name: string; in: string; required: boolean; schema: Json; description?: string };

const parameters = (label: string, list: Parameter[]) =>
  list.length === 0
    ? ''
    : html`<h4>Parameters</h4>
        ${table(
          `Parameters of ${label}`,
          ['Name', 'Type', 'Presence', 'Description'],
          list.map(({ name, schema, description = '', required }) =>
            field(name, { ...schema, description }, required),
          ),
        )}`;

/** A body of JSON as an example; other bodies are files or fields of a form. */
function bodyExample(body: Json, schemas: Schemas): Html | string {
  const { schema } = (body.content as Record<string, { schema?: Json }>)['application/json'] ?? {};
  return schema ? codeBlock(JSON.stringify(sampleOf(schema, schemas), null, 2), 'json') : '';
}

const content = (part: Json | undefined) =>
  Object.entries((part?.content ?? {}) as Record<string, { schema?: Json }>).map(
    ([type, { schema }]) => html`<p><code>${type}</code>${schema ? html`: ${typeOf(schema)}` : ''}</p>`,
  );

/** What a method does to what it is about, as the look of its badge. */
const BADGE: Readonly<Record<Route['method'], string>> = {
  get: '',
  post: 'now',
  put: 'now',
  patch: 'now',
  delete: 'bad',
};

const endpoint = ({ method, path, summary }: Route): Html =>
  html`<span class="badge ${BADGE[method]}">${method.toUpperCase()}</span><h3><code>${wrapsBefore('/', openApiPath(path))}</code></h3><span class="soft">${withCode(summary)}</span>`;

const errorCodes = (codes: readonly string[]): Html =>
  html`<details><summary>${count(codes.length, 'error code')}</summary><p>${codes.map((code) => html`<a href="/api/docs?tag=Errors#error-${code}"><code>${code}</code></a> `)}</p></details>`;

function operation(baseUrl: string, schemas: Schemas, { name, route, described }: Operation): Html {
  const { success } = route;
  const body = described.requestBody as Json | undefined;
  const answer = (described.responses as Record<string, Json>)[success.status];
  return html`
    <section class="card" id="${name}">
      <div class="endpoint">${endpoint(route)}</div>
      <div>
      <p>Available to: ${AUTH_LABEL[route.auth]}.</p>
      ${parameters(name, described.parameters as Parameter[])}
      ${body ? html`<h4>Body</h4>${content(body)}${bodyExample(body, schemas)}` : ''}
      <h4>Response ${success.status}</h4>
      ${content(answer)}
      ${route.headers ? html`<p>Headers: ${Object.keys(route.headers).map((header) => html`<code>${header}</code> `)}</p>` : ''}
      ${example(baseUrl, name, route)}
      ${errorCodes(errorsOf(route))}
      </div>
    </section>`;
}

const errorRow = ([code, { status, when }]: [string, { status: number; when: string }]) => html`
  <tr id="error-${code}"><th scope="row"><code>${code}</code></th><td>${status}</td><td>${withCode(when)}</td></tr>`;

const record = (name: string, schema: Json): Html => html`
  <section class="card" id="schema-${name}">
    <h3>${name}</h3>
    <div>${schema.properties ? fields(name, schema) : html`<p>${typeOf(schema)}</p>`}</div>
  </section>`;

const crumbsOf = (tag: string): Crumb[] => [
  ['Documentation', '/docs'],
  ...(tag === '' ? [['API'] as const] : [['API', '/api/docs'] as const, [tag] as const]),
];

const intro = (baseUrl: string, tag: string, hasCli: boolean): Html => html`
    <h1>${tag === '' ? 'API' : tag}</h1>
    <p>The base URL of this store is <code>${baseUrl}</code>. The same description as OpenAPI: <a href="/api/openapi.json">openapi.json</a>.</p>
    <p>See also the <a href="/docs/codes">validation codes</a> and the <a href="${MANIFEST_SCHEMA_PATH}">JSON Schema of the manifest</a>, <a href="/check">check an app in the browser</a>${hasCli ? html`, or <a href="/cli">install the command line</a>` : ''}.</p>
`;

const ERRORS_TAG = 'Errors';

/** The parts of the API. */
const partsNav = (tags: readonly string[], here: string): Html =>
  besides(
    tags.map((tag) => [addressOfTag(tag), tag]),
    'Parts of the API',
    addressOfTag(here),
  );

/** Pages and files, which programs rarely read, as the name of their group. */
const PAGES = 'Pages and files';

/** Literal segments of a path that name what an endpoint is about: those of `/api/apps/{appId}/versions`. */
const NAMING = 3;

/** The path of what an endpoint is about. */
function subjectOf({ path }: Route): string {
  if (!path.startsWith('/api/')) return PAGES;
  const segments = path.slice(1).split('/');
  const literal = segments.flatMap((segment, at) => (/^[:*]/.test(segment) ? [] : [at]));
  const end = literal[NAMING - 1] ?? literal.at(-1) ?? 0;
  return openApiPath(`/${segments.slice(0, end + 1).join('/')}`);
}

/** Endpoints by what they are about, in the order of the first of each; pages last. A single one is not a group. */
function groupsOf(endpoints: readonly Operation[]): [subject: string, of: Operation[]][] {
  const groups = [...Map.groupBy(endpoints, ({ route }) => subjectOf(route))];
  const isGroup = ([subject, { length }]: (typeof groups)[number]) => length > 1 && subject !== PAGES;
  const single = groups.filter((group) => !isGroup(group) && group[0] !== PAGES).flatMap(([, of]) => of);
  const pages = groups.filter(([subject]) => subject === PAGES);
  const named = groups.filter(isGroup);
  return [...(single.length === 0 ? [] : [['', single] as [string, Operation[]]]), ...named, ...pages];
}

/** All endpoints of a part, one line each, by what they are about. */
function overview(tag: string, endpoints: readonly Operation[]): Html {
  const list = (of: readonly Operation[]) =>
    html`<ul class="endpoints">${of.map(({ name, route }) => html`<li><a class="endpoint" href="${addressOfTag(tag)}#${name}">${endpoint(route)}</a></li>`)}</ul>`;
  return html`<h2 id="tag-${tag}"><a href="${addressOfTag(tag)}">${tag}</a></h2>
  ${groupsOf(endpoints).map(([subject, of]) =>
    subject === ''
      ? list(of)
      : html`<details${subject === PAGES ? '' : html` open`}><summary>${subject === PAGES ? PAGES : html`<code>${wrapsBefore('/', subject)}</code>`} <span class="soft">${String(of.length)}</span></summary>${list(of)}</details>`,
  )}`;
}

const errorsTable = (errors: readonly [string, { status: number; when: string }][]): Html =>
  html`<p>The body of every error is an <a href="${addressOfRecord('ErrorEnvelope')}">ErrorEnvelope</a>. Its <code>code</code> is one of these.</p>
  ${table('Errors', ['Code', 'Status', 'When'], errors.map(errorRow))}`;

/** Makes the part of a page that is about something once: the examples of bodies take most of the time of a page. */
function made<Of>(make: (of: Of) => Html): (of: Of) => Html {
  const parts = new Map<Of, Html>();
  return (of) => {
    const part = parts.get(of) ?? make(of);
    parts.set(of, part);
    return part;
  };
}

/** What a page of the reference shows: an overview, one part, or the matches of a query. */
export type ApiView = { q: string; tag: string };

/**
 * The API reference as pages that work without scripts.
 * @param baseUrl address of the store, without a trailing slash
 * @param routeNames the routes that the store has
 * @returns renders a view; null for a part that does not exist
 */
export function createApiPage(
  baseUrl: string,
  routeNames: ReadonlySet<RouteName>,
): (view: ApiView) => DocsPage | null {
  const document = openApiDocument(baseUrl, routeNames) as {
    paths: Record<string, Json>;
    components: { schemas: Record<string, Json> };
  };
  const bound = Object.entries<Route>(ROUTES).filter(([name]) => routeNames.has(name as RouteName));
  const operations = bound.map(([name, route]) => ({
    name,
    route,
    described: (document.paths[openApiPath(route.path)]?.[route.method] ?? {}) as Json,
  }));
  const allErrors = Object.entries(ERRORS);
  const allRecords = Object.entries(document.components.schemas);
  const tags = [...new Set(operations.map(({ route }) => route.tag))];
  const parts = [...tags, ERRORS_TAG, ...RECORDS_TAGS];
  const shown = made((one: Operation) => operation(baseUrl, document.components.schemas, one));
  const shownRecord = made(([name, schema]: [string, Json]) => record(name, schema));
  const ofTag = (tag: string) => operations.filter(({ route }) => route.tag === tag);

  function part(tag: string): Html {
    if (tag === ERRORS_TAG) return errorsTable(allErrors);
    const endpoints = ofTag(tag);
    if (endpoints.length > 0) return html`<h2>Endpoints</h2>${endpoints.map(shown)}`;
    const records = allRecords.filter(([name]) => tagOfRecord(name) === tag);
    return html`<h2>All records</h2>${records.map(shownRecord)}`;
  }

  function found(query: string): Html {
    const has = matcher(query);
    const endpoints = operations.filter(({ name, route: { method, path, summary, tag } }) =>
      has(name, method, openApiPath(path), summary, tag),
    );
    const errors = allErrors.filter(([code, { when }]) => has(code, when));
    const records = allRecords.filter(([name]) => has(name));
    const count = endpoints.length + errors.length + records.length;
    return html`<p role="status">${count === 0 ? 'No matches.' : `${endpoints.length} endpoints, ${errors.length} errors, ${records.length} records.`} <a href="/api/docs">Show all parts</a></p>
      ${endpoints.length === 0 ? '' : html`<h2>Endpoints</h2>${endpoints.map(shown)}`}
      ${errors.length === 0 ? '' : html`<h2>Errors</h2>${errorsTable(errors)}`}
      ${records.length === 0 ? '' : html`<h2>Records</h2>${records.map(shownRecord)}`}`;
  }

  return ({ q, tag }) => {
    if (q === '' && tag !== '' && !parts.includes(tag)) return null;
    const main =
      q === '' ? (tag === '' ? html`${tags.map((one) => overview(one, ofTag(one)))}` : part(tag)) : found(q);
    const title = q === '' && tag !== '' ? `${tag} · API` : 'API';
    const here = q === '' ? tag : '';
    const body = html`<main>${intro(baseUrl, here, routeNames.has('cliPage'))}${main}</main>${partsNav(parts, tag)}`;
    const search = { action: '/api/docs', label: 'Search the API', query: q };
    return docsPage({ title, crumbs: crumbsOf(here), isWide: true, body, search });
  };
}
