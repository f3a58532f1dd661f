import {
  ERRORS,
  errorsOf,
  MANIFEST_SCHEMA_PATH,
  openApiDocument,
  openApiPath,
  ROUTES,
  type Route,
} from '@svc/contracts';
import { html } from 'hono/html';
import type { Html } from '../../http/html.ts';
import { breadcrumbs } from '../../http/shell.ts';
import { type DocsPage, docsPage, prose, table } from './page.ts';

type Json = Record<string, unknown>;

const AUTH_LABEL: Record<Route['auth'], string> = {
  none: 'everyone, without signing in',
  person: 'signed-in users',
  developer: 'developer tokens and signed-in users',
  moderator: 'moderators',
  admin: 'administrators',
};

const refName = (schema: Json): string | undefined =>
  typeof schema.$ref === 'string' ? schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1) : undefined;

/** The type of a JSON Schema, in a few words. */
function typeOf(schema: Json): ReturnType<typeof html> {
  const name = refName(schema);
  if (name) return html`<a href="/api/docs#schema-${name}">${name}</a>`;
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
    <th scope="row"><code>${name}</code></th>
    <td>${typeOf(schema)}</td>
    <td>${required ? 'required' : 'optional'}</td>
    <td>${prose(String(schema.description ?? ''))}</td>
  </tr>`;

function fields(label: string, schema: Json) {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>);
  const required = new Set((schema.required ?? []) as string[]);
  const rows = properties.map(([name, property]) => field(name, property, required.has(name)));
  return table(label, ['Field', 'Type', 'Presence', 'Description'], rows);
}

type Operation = { name: string; route: Route; described: Json; isOpen: boolean };

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

const content = (part: Json | undefined) =>
  Object.entries((part?.content ?? {}) as Record<string, { schema?: Json }>).map(
    ([type, { schema }]) => html`<p><code>${type}</code>${schema ? html`: ${typeOf(schema)}` : ''}</p>`,
  );

function operation({ name, route, described, isOpen }: Operation): Html {
  const { success } = route;
  const body = described.requestBody as Json | undefined;
  const answer = (described.responses as Record<string, Json>)[success.status];
  return html`
    <details class="entry"${isOpen ? html` open` : ''}>
      <summary><h3><span class="method">${route.method.toUpperCase()}</span> <code class="path">${openApiPath(route.path)}</code></h3> <span class="who">${prose(route.summary)}</span></summary>
      <div id="${name}">
      <p>Available to: ${AUTH_LABEL[route.auth]}.</p>
      ${parameters(name, described.parameters as Parameter[])}
      ${body ? html`<h4>Body</h4>${content(body)}` : ''}
      <h4>Response ${success.status}</h4>
      ${content(answer)}
      ${route.headers ? html`<p>Headers: ${Object.keys(route.headers).map((header) => html`<code>${header}</code> `)}</p>` : ''}
      <p>Errors: ${errorsOf(route).map((code) => html`<a href="/api/docs#error-${code}"><code>${code}</code></a> `)}</p>
      </div>
    </details>`;
}

const errorRow = ([code, { status, when }]: [string, { status: number; when: string }]) => html`
  <tr id="error-${code}"><th scope="row"><code>${code}</code></th><td>${status}</td><td>${prose(when)}</td></tr>`;

const record = (name: string, schema: Json, isOpen: boolean): Html => html`
  <details class="entry"${isOpen ? html` open` : ''}>
    <summary><h3>${name}</h3></summary>
    <div id="schema-${name}">${schema.properties ? fields(name, schema) : html`<p>${typeOf(schema)}</p>`}</div>
  </details>`;

/** Creates a test of whether texts contain every word of a query, in any case. */
const matcher = (query: string): ((...texts: string[]) => boolean) => {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return (...texts) => {
    const text = texts.join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  };
};

const intro = (baseUrl: string, query: string, tags: readonly string[]): Html => html`
  ${breadcrumbs(['Documentation', '/docs'], ['API'])}
  <div class="intro" role="region" aria-label="About this page">
    <h1>API</h1>
    <p>The base URL of this store is <code>${baseUrl}</code>. The same description as OpenAPI: <a href="/api/openapi.json">openapi.json</a>.</p>
    <p>See also the <a href="/docs/codes">validation codes</a> and the <a href="${MANIFEST_SCHEMA_PATH}">JSON Schema of the manifest</a>, <a href="/check">check an app in the browser</a>, or <a href="/cli">install the command line</a>.</p>
    <form class="find" role="search" action="/api/docs" method="get">
      <label for="q">Search the API</label>
      <input id="q" name="q" type="search" value="${query}" maxlength="200" placeholder="publish, token, /api/apps…"> <button>Search</button>
    </form>
  </div>
  ${query === '' ? html`<nav class="tags" aria-label="Contents"><ul>${tags.map((tag) => html`<li><a href="#tag-${tag}">${tag}</a></li>`)}<li><a href="#errors">Errors</a></li><li><a href="#records">Records</a></li></ul></nav>` : ''}`;

/**
 * The API reference as pages that work without scripts: all of it, with each entry folded, or the matches of a query, unfolded.
 * @param baseUrl address of the store, without a trailing slash
 * @returns renders the page of a query; an empty query gives the whole reference
 */
export function createApiPage(baseUrl: string): (query: string) => DocsPage {
  const document = openApiDocument(baseUrl) as {
    paths: Record<string, Json>;
    components: { schemas: Record<string, Json> };
  };
  const operations = Object.entries<Route>(ROUTES).map(([name, route]) => ({
    name,
    route,
    described: (document.paths[openApiPath(route.path)]?.[route.method] ?? {}) as Json,
  }));
  return (query) => {
    const has = matcher(query);
    const isOpen = query !== '';
    const endpoints = operations.filter(({ name, route: { method, path, summary, tag } }) =>
      has(name, method, openApiPath(path), summary, tag),
    );
    const tags = [...new Set(endpoints.map(({ route }) => route.tag))];
    const errors = Object.entries(ERRORS).filter(([code, { when }]) => has(code, when));
    const records = Object.entries(document.components.schemas).filter(([name]) => has(name));
    const count = endpoints.length + errors.length + records.length;
    const body = html`
    ${intro(baseUrl, query, tags)}
    <main>
      ${isOpen ? html`<p role="status">${count === 0 ? 'No matches.' : `${endpoints.length} endpoints, ${errors.length} errors, ${records.length} records.`} <a href="/api/docs">Show the whole reference</a></p>` : ''}
      ${tags.map((tag) => html`<h2 id="tag-${tag}">${tag}</h2>${endpoints.filter(({ route }) => route.tag === tag).map((match) => operation({ ...match, isOpen }))}`)}
      ${
        errors.length === 0
          ? ''
          : html`<h2 id="errors">Errors</h2>
      <p>The body of every error is an <a href="/api/docs#schema-ErrorEnvelope">ErrorEnvelope</a>. Its <code>code</code> is one of these.</p>
      <details class="entry"${isOpen ? html` open` : ''}><summary><h3>${errors.length} codes</h3></summary>${table('Errors', ['Code', 'Status', 'When'], errors.map(errorRow))}</details>`
      }
      ${
        records.length === 0
          ? ''
          : html`<h2 id="records">Records</h2>
      <details class="entry records"${isOpen ? html` open` : ''}><summary><h3>${records.length} records</h3></summary>${records.map(([name, schema]) => record(name, schema, isOpen))}</details>`
      }
    </main>`;
    return docsPage('API', body, { hasForm: true });
  };
}
