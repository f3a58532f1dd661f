import { html, raw } from 'hono/html';
import type { Html } from '../../../http/html.ts';
import { breadcrumbs } from '../../../http/shell.ts';
import { type DocsPage, docsPage } from '../page.ts';
import type { Docs } from './read-docs.ts';
import type { Doc } from './render-doc.ts';
import { searchDocs } from './search-docs.ts';

/** The deepest level of headings in the table of contents. */
const MAX_LEVEL = 3;

const addressOf = ({ name }: Doc): string => `/docs/${name}`;

const search = (query: string): Html => html`<form class="find" role="search" action="/docs" method="get">
  <label for="q">Search the documentation</label>
  <input id="q" name="q" type="search" value="${query}" maxlength="200"> <button>Search</button>
</form>`;

const top = (
  here: string | null,
  query = '',
): Html => html`<div class="site" role="region" aria-label="Documentation">
  ${here === null ? breadcrumbs(['Documentation']) : breadcrumbs(['Documentation', '/docs'], [here])}
  ${search(query)}
</div>`;

function contents({ sections }: Doc): Html | string {
  const named = sections.slice(1).filter(({ level }) => level <= MAX_LEVEL);
  if (named.length < 2) return '';
  return html`<nav class="contents" aria-label="On this page"><ul>${named.map(
    ({ id, heading, level }) => html`<li class="level-${level}"><a href="#${id}">${heading}</a></li>`,
  )}</ul></nav>`;
}

function neighbours({ pages }: Docs, doc: Doc): Html {
  const all = [...pages.values()];
  const index = all.indexOf(doc);
  const [before, after] = [all[index - 1], all[index + 1]];
  return html`<nav class="neighbours" aria-label="Previous and next page">
    <p>${before ? html`← <a rel="prev" href="${addressOf(before)}">${before.title}</a>` : ''}</p>
    <p>${after ? html`<a rel="next" href="${addressOf(after)}">${after.title}</a> →` : ''}</p>
  </nav>`;
}

const page = (title: string, body: Html): DocsPage =>
  docsPage(`${title}`, html`<div class="prose">${body}</div>`, { hasForm: true });

/** A document as a page. */
export const docPage = (docs: Docs, doc: Doc): DocsPage =>
  page(
    doc.title,
    html`${top(doc.title)}${contents(doc)}<main>${raw(doc.html)}</main>${neighbours(docs, doc)}`,
  );

/** The index of all documents. */
export const indexPage = (index: Doc): DocsPage =>
  page(index.title, html`${top(null)}<main class="index">${raw(index.html)}</main>`);

/** The results of a search. */
export function resultsPage(docs: Docs, query: string): DocsPage {
  const hits = searchDocs(docs, query);
  const count =
    hits.length === 0 ? 'No matches.' : `${hits.length} ${hits.length === 1 ? 'match' : 'matches'}.`;
  return page(
    'Search',
    html`${top('Search', query)}<main>
      <h1>Search</h1>
      <p role="status">${count}${hits.length === 0 ? html` Try fewer or shorter words, or see <a href="/docs">all pages</a>.` : ''}</p>
      <ul class="hits">${hits.map(
        ({ doc, section, excerpt }) =>
          html`<li><a href="${addressOf(doc)}#${section.id}">${doc.title}${section.heading === doc.title ? '' : html` › ${section.heading}`}</a><p>${excerpt}</p></li>`,
      )}</ul>
    </main>`,
  );
}
