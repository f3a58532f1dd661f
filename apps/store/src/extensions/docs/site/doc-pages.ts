import { html, raw } from 'hono/html';
import { type DocsPage, docsPage } from '../../../core/web/docs-page.ts';
import { type Html, icon } from '../../../http/html.ts';
import type { Crumb } from '../../../http/shell.ts';
import type { Docs } from './read-docs.ts';
import type { Doc, Section } from './render-doc.ts';

/** A match of a search. */
type Hit = { doc: Doc; section: Section; excerpt: string };

/** The most words of a query that are searched for, and the most matches that are shown. */
const MAX_WORDS = 8;
const MAX_HITS = 30;

const EXCERPT_BEFORE = 60;
const EXCERPT_CHARACTERS = 220;

/** A match in a heading counts more than one in the text, and a match in the title of a document more than both. */
const WEIGHT = { title: 8, heading: 5, text: 1 };

const folded = (text: string): string => text.normalize('NFKC').toLowerCase();

/** The score of a word in a section; 0 when it does not occur. */
function scoreOf(word: string, doc: Doc, { heading, text }: Section): number {
  const fields = { title: doc.title, heading, text };
  return (Object.keys(WEIGHT) as (keyof typeof WEIGHT)[])
    .filter((field) => folded(fields[field]).includes(word))
    .reduce((sum, field) => sum + WEIGHT[field], 0);
}

function excerptOf(text: string, words: readonly string[]): string {
  const plain = text.replace(/\s+/g, ' ').trim();
  const at = Math.min(...words.map((word) => folded(plain).indexOf(word)).filter((index) => index >= 0));
  // From one space to another: no word is cut.
  const from =
    Number.isFinite(at) && at > EXCERPT_BEFORE ? plain.lastIndexOf(' ', at - EXCERPT_BEFORE) + 1 : 0;
  const end = from + EXCERPT_CHARACTERS;
  const part =
    end < plain.length ? plain.slice(from, Math.max(plain.lastIndexOf(' ', end), from)) : plain.slice(from);
  return `${from > 0 ? '… ' : ''}${part}${end < plain.length ? ' …' : ''}`;
}

/** The sections that contain every word of a query, the highest score first. */
export function searchDocs({ pages }: Docs, query: string): Hit[] {
  const words = [...new Set(folded(query).split(/\s+/).filter(Boolean))].slice(0, MAX_WORDS);
  if (words.length === 0) return [];
  const matches = [...pages.values()].flatMap((doc) =>
    doc.sections.flatMap((section) => {
      const scores = words.map((word) => scoreOf(word, doc, section));
      if (scores.includes(0)) return [];
      return { doc, section, total: scores.reduce((sum, score) => sum + score, 0) };
    }),
  );
  return matches
    .sort((a, b) => b.total - a.total)
    .slice(0, MAX_HITS)
    .map(({ doc, section }) => ({ doc, section, excerpt: excerptOf(section.text, words) }));
}

/** The deepest level of headings in the table of contents. */
const MAX_LEVEL = 3;

const addressOf = ({ name }: Doc): string => `/docs/${name}`;

function contents({ sections }: Doc): Html | string {
  const named = sections.slice(1).filter(({ level }) => level <= MAX_LEVEL);
  if (named.length < 2) return '';
  return html`<nav class="contents" aria-label="On this page"><details><summary>On this page</summary><ul class="parts">${named.map(
    ({ id, heading, level }) => html`<li class="level-${level}"><a href="#${id}">${heading}</a></li>`,
  )}</ul></details></nav>`;
}

function neighbours({ pages }: Docs, doc: Doc): Html {
  const all = [...pages.values()];
  const index = all.indexOf(doc);
  const [before, after] = [all[index - 1], all[index + 1]];
  return html`<nav class="cluster apart neighbours" aria-label="Previous and next page">
    <p>${before ? html`← <a rel="prev" href="${addressOf(before)}">${before.title}</a>` : ''}</p>
    <p>${after ? html`<a rel="next" href="${addressOf(after)}">${after.title}</a> →` : ''}</p>
  </nav>`;
}

/** All documents by audience, as the index groups them: beside the text, or after it on a phone. */
function areas({ index, pages }: Docs, here: Doc | null): Html | string {
  if (!index) return '';
  const linkTo = (name: string): Html | string => {
    const doc = pages.get(name);
    if (!doc) return '';
    return html`<li><a href="${addressOf(doc)}"${doc === here ? html` aria-current="page"` : ''}>${doc.title}</a></li>`;
  };
  const groups = index.groups.filter(({ names }) => names.length > 0);
  return html`<nav class="areas" aria-label="All pages">${groups.map(
    ({ heading, names }) => html`<p>${heading}</p><ul>${names.map(linkTo)}</ul>`,
  )}</nav>`;
}

const HOME = ['Documentation', '/docs'] as const;

const page = (title: string, crumbs: readonly Crumb[], body: Html, query = ''): DocsPage =>
  docsPage({ title, crumbs, body, search: { action: '/docs', label: 'Search the documentation', query } });

/** A document as a page. */
export const docPage = (docs: Docs, doc: Doc): DocsPage =>
  page(
    doc.title,
    [HOME, [doc.title]],
    html`${contents(doc)}<main>${raw(doc.html)}</main>${neighbours(docs, doc)}${areas(docs, doc)}`,
  );

/** Where most readers begin, by the name of the document. */
const STARTS: readonly [name: string, picture: string, title: string, words: string][] = [
  ['desktop', 'message-circle', 'Use apps', 'Install a client and a first app.'],
  ['tutorial', 'upload', 'Publish an app', 'From nothing to an app in this store.'],
  ['operating', 'shield-check', 'Run a store', 'From an empty machine to a store that people rely on.'],
];

const starts = ({ pages }: Docs): Html =>
  html`<ul class="starts">${STARTS.filter(([name]) => pages.has(name)).map(
    ([name, picture, title, words]) =>
      html`<li><a href="/docs/${name}">${icon(picture)}<strong>${title}</strong> ${words}</a></li>`,
  )}</ul>`;

/** The index of all documents: its opening, where to start, and the documents by audience. */
export function indexPage(docs: Docs, index: Doc): DocsPage {
  const [opening, ...groups] = index.html.split(/(?=<h2)/);
  const body = html`${raw(opening)}${starts(docs)}${raw(groups.join(''))}`;
  return page(index.title, [[HOME[0]]], html`<main class="index">${body}</main>${areas(docs, null)}`);
}

export function resultsPage(docs: Docs, query: string): DocsPage {
  const hits = searchDocs(docs, query);
  const count =
    hits.length === 0 ? 'No matches.' : `${hits.length} ${hits.length === 1 ? 'match' : 'matches'}.`;
  return page(
    'Search',
    [HOME, ['Search']],
    html`<main>
      <h1>Search</h1>
      <p role="status">${count}${hits.length === 0 ? html` Try fewer or shorter words, or see <a href="/docs">all pages</a>.` : ''}</p>
      <ul class="hits">${hits.map(
        ({ doc, section, excerpt }) =>
          html`<li><a href="${addressOf(doc)}#${section.id}">${doc.title}${section.heading === doc.title ? '' : html` › ${section.heading}`}</a><p>${excerpt}</p></li>`,
      )}</ul>
    </main>${areas(docs, null)}`,
    query,
  );
}
