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
import { type DocsPage, docsPage, prose, table } from './page.ts';

type Json = Record<string, unknown>;

const AUTH_LABEL: Record<Route['auth'], string> = {
  none: 'anybody',
  person: 'people who are signed in',
  developer: 'developer token, or people who are signed in',
  moderator: 'moderator',
  admin: 'administrator',
};

const refName = (schema: Json): string | undefined =>
  typeof schema.$ref === 'string' ? schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1) : undefined;

/** What a JSON Schema takes, in a few words. */
function typeOf(schema: Json): ReturnType<typeof html> {
  const name = refName(schema);
  if (name) return html`<a href="#schema-${name}">${name}</a>`;
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
    <td>${required ? 'always' : 'optional'}</td>
    <td>${prose(String(schema.description ?? ''))}</td>
  </tr>`;

function fields(label: string, schema: Json) {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>);
  const required = new Set((schema.required ?? []) as string[]);
  const rows = properties.map(([name, property]) => field(name, property, required.has(name)));
  return table(label, ['Field', 'Type', 'Given', 'Meaning'], rows);
}

type Parameter = { name: string; in: string; required: boolean; schema: Json; description?: string };

const parameters = (label: string, list: Parameter[]) =>
  list.length === 0
    ? ''
    : html`<h4>Parameters</h4>
        ${table(
          `Parameters of ${label}`,
          ['Name', 'Type', 'Given', 'Meaning'],
          list.map((one) =>
            field(one.name, { ...one.schema, description: one.description ?? '' }, one.required),
          ),
        )}`;

const content = (part: Json | undefined) =>
  Object.entries((part?.content ?? {}) as Record<string, { schema?: Json }>).map(
    ([type, { schema }]) => html`<p><code>${type}</code>${schema ? html`: ${typeOf(schema)}` : ''}</p>`,
  );

function operation(name: string, route: Route, described: Json) {
  const { success } = route;
  const body = described.requestBody as Json | undefined;
  const answer = (described.responses as Record<string, Json>)[success.status];
  return html`
    <section id="${name}">
      <h3><span class="method">${route.method.toUpperCase()}</span> <code class="path">${openApiPath(route.path)}</code></h3>
      <p>${prose(route.summary)} <span class="who">For: ${AUTH_LABEL[route.auth]}.</span></p>
      ${parameters(name, described.parameters as Parameter[])}
      ${body ? html`<h4>Body</h4>${content(body)}` : ''}
      <h4>Answer ${success.status}</h4>
      ${content(answer)}
      ${route.headers ? html`<p>Headers: ${Object.keys(route.headers).map((header) => html`<code>${header}</code> `)}</p>` : ''}
      <p>Errors: ${errorsOf(route).map((code) => html`<a href="#error-${code}"><code>${code}</code></a> `)}</p>
    </section>`;
}

const contents = (id: string, label: string, routes: [string, Route][]) => html`
  <div>
    <p><a href="#${id}">${label}</a></p>
    <ul>${routes.map(([name, route]) => html`<li><a href="#${name}">${route.summary}</a></li>`)}</ul>
  </div>`;

const errorRow = ([code, { status, when }]: [string, { status: number; when: string }]) => html`
  <tr id="error-${code}"><th scope="row"><code>${code}</code></th><td>${status}</td><td>${prose(when)}</td></tr>`;

/**
 * The API's description as one page without scripts, with the headers that keep it so.
 * @param baseUrl address of the store, without a trailing slash
 */
export function apiPage(baseUrl: string): DocsPage {
  const document = openApiDocument(baseUrl) as {
    paths: Record<string, Json>;
    components: { schemas: Record<string, Json> };
  };
  const routes = Object.entries<Route>(ROUTES);
  const tags = [...new Set(routes.map(([, route]) => route.tag))];
  const described = ({ path, method }: Route) => (document.paths[openApiPath(path)]?.[method] ?? {}) as Json;
  const ofTag = (tag: string) => routes.filter(([, route]) => route.tag === tag);
  return docsPage(
    'API',
    html`
    <header>
      <h1>API</h1>
      <p>This store answers at <code>${baseUrl}</code>. The same description for machines: <a href="/api/openapi.json">openapi.json</a>.</p>
        <p>See also <a href="/docs/codes">what the checks can find</a> and <a href="${MANIFEST_SCHEMA_PATH}">the schema of the manifest</a>, <a href="/check">check an app in the browser</a>, and <a href="/cli">get the command line</a>.</p>
    </header>
    <nav aria-label="Contents">
      ${tags.map((tag) => contents(`tag-${tag}`, tag, ofTag(tag)))}
      ${contents('errors', 'Errors', [])}
      ${contents('records', 'Records', [])}
    </nav>
    <main>
      ${tags.map((tag) => html`<h2 id="tag-${tag}">${tag}</h2>${ofTag(tag).map(([name, route]) => operation(name, route, described(route)))}`)}
      <h2 id="errors">Errors</h2>
      <p>Every error has the body <a href="#schema-ErrorEnvelope">ErrorEnvelope</a>; its <code>code</code> is one of these.</p>
      ${table('Errors', ['Code', 'Status', 'When'], Object.entries(ERRORS).map(errorRow))}
      <h2 id="records">Records</h2>
      ${Object.entries(document.components.schemas).map(
        ([name, schema]) =>
          html`<section id="schema-${name}"><h3>${name}</h3>${schema.properties ? fields(name, schema) : html`<p>${typeOf(schema)}</p>`}</section>`,
      )}
    </main>`,
  );
}
