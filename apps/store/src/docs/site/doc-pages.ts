import { html, raw } from 'hono/html';
import type { Html } from '../../http/html.ts';
import { breadcrumbs } from '../../http/shell.ts';
import { type DocsPage, docsPage } from '../page.ts';
import type { Docs } from './read-docs.ts';
import type { Doc } from './render-doc.ts';
import { searchDocs } from './search-docs.ts';

/** The deepest headings that the table of contents names. */
const DEEPEST = 3;

const addressOf = ({ name }: Doc): string => `/docs/${name}`;

const search = (question: string): Html => html`<form class="find" role="search" action="/docs" method="get">
  <label for="q">Search the documentation</label>
  <input id="q" name="q" type="search" value="${question}" maxlength="200"> <button>Search</button>
</form>`;

const top = (
  here: string | null,
  question = '',
): Html => html`<div class="site" role="region" aria-label="Documentation">
  ${here === null ? breadcrumbs(['Documentation']) : breadcrumbs(['Documentation', '/docs'], [here])}
  ${search(question)}
</div>`;

function contents({ sections }: Doc): Html | string {
  const named = sections.slice(1).filter(({ level }) => level <= DEEPEST);
  if (named.length < 2) return '';
  return html`<nav class="contents" aria-label="On this page"><ul>${named.map(
    ({ id, heading, level }) => html`<li class="level-${level}"><a href="#${id}">${heading}</a></li>`,
  )}</ul></nav>`;
}

function neighbours({ pages }: Docs, doc: Doc): Html {
  const all = [...pages.values()];
  const place = all.indexOf(doc);
  const [before, after] = [all[place - 1], all[place + 1]];
  return html`<nav class="neighbours" aria-label="Neighbouring pages">
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

/** The index of all documents, by reader. */
export const indexPage = (index: Doc): DocsPage =>
  page(index.title, html`${top(null)}<main class="index">${raw(index.html)}</main>`);

/** What a question finds. */
export function resultsPage(docs: Docs, question: string): DocsPage {
  const hits = searchDocs(docs, question);
  const count =
    hits.length === 0
      ? 'Nothing was found.'
      : `Found in ${hits.length} ${hits.length === 1 ? 'place' : 'places'}.`;
  return page(
    'Search',
    html`${top('Search', question)}<main>
      <h1>Search</h1>
      <p role="status">${count}${hits.length === 0 ? html` Try fewer or shorter words, or <a href="/docs">the index</a>.` : ''}</p>
      <ul class="hits">${hits.map(
        ({ doc, section, excerpt }) =>
          html`<li><a href="${addressOf(doc)}#${section.id}">${doc.title}${section.heading === doc.title ? '' : html` › ${section.heading}`}</a><p>${excerpt}</p></li>`,
      )}</ul>
    </main>`,
  );
}
