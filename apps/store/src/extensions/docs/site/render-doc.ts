import { html } from 'hono/html';
import MarkdownIt, { type StateCore, type Token } from 'markdown-it';
import { codeBlock } from '../../../http/code-block.ts';
import type { Html } from '../../../http/html.ts';

/** A part of a document, from one heading to the next. */
export type Section = { id: string; heading: string; level: number; text: string };

/** A document of the repository, rendered. */
export type Doc = {
  name: string;
  title: string;
  html: string;
  sections: readonly Section[];
  /** Names of the documents that it links to, in their order. */
  linksTo: readonly string[];
  /** For each section, the names of those documents. */
  groups: readonly { heading: string; names: readonly string[] }[];
};

/** What is collected while a document is rendered. */
type Collected = {
  folder: string;
  sections: Section[];
  linksTo: string[];
  groups: { heading: string; names: string[] }[];
  tables: number;
  /** The headings of the current table, and the place of its next cell in the row. */
  heads: string[];
  column: number;
};

/** The id of a heading. The same as on GitHub, so that links work in both places. */
export function slugOf(heading: string, used: ReadonlySet<string>): string {
  const slug = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
  for (let n = 0; ; n += 1) {
    const id = n === 0 ? slug : `${slug}-${n}`;
    if (!used.has(id)) return id;
  }
}

/**
 * The address of a document's link in the store; null for files that the store does not serve. Pages of `docs/reference` have addresses like
 * all others.
 */
export function addressOfLink(href: string): string | null {
  if (href.startsWith('#') || href.startsWith('https://') || /^\/(?!\/)/.test(href)) return href;
  const [, folder, name, anchor = ''] = /^(?:reference\/|(codes\/))?([\w.-]+)\.md(#.*)?$/.exec(href) ?? [];
  if (name === undefined || name.startsWith('.')) return null;
  if (folder) return name === 'README' ? '/docs/codes' : `/docs/codes/${name}`;
  return `${name === 'index' ? '/docs' : `/docs/${name}`}${anchor}`;
}

const textOf = (token: Token): string =>
  (token.children ?? []).map(({ type, content }) => (type === 'softbreak' ? ' ' : content)).join('');

/** Rewrites links to addresses of the store. Links to files that the store does not serve become plain text. */
function rewriteLinks(children: readonly Token[], { folder, linksTo, groups }: Collected): Token[] {
  let isKept = true;
  return children.flatMap((token) => {
    if (token.type === 'link_open') {
      const href = String(token.attrGet('href'));
      const address = addressOfLink(folder === '' ? href : href.replace(/^\.\.\//, ''));
      isKept = address !== null;
      if (address === null) return [];
      token.attrs = [['href', address]];
      const name = /^\/docs\/([^/#]+)/.exec(address)?.[1];
      if (name !== undefined) {
        linksTo.push(name);
        groups.at(-1)?.names.push(name);
      }
    }
    return token.type === 'link_close' && !isKept ? [] : token;
  });
}

function collect(state: StateCore): void {
  const collected = state.env as Collected;
  const used = new Set<string>();
  state.tokens.forEach((token, n) => {
    const inline = state.tokens[n + 1];
    if (token.type === 'heading_open' && inline) {
      const heading = textOf(inline);
      const id = slugOf(heading, used);
      used.add(id);
      token.attrSet('id', id);
      collected.sections.push({ id, heading, level: Number(token.tag.slice(1)), text: '' });
      collected.groups.push({ heading, names: [] });
    }
    if (token.children) token.children = rewriteLinks(token.children, collected);
    const section = collected.sections.at(-1);
    const isHeading = state.tokens[n - 1]?.type === 'heading_open';
    if (!section || isHeading) return;
    if (token.type === 'inline') section.text += `${textOf(token)} `;
    if (token.type === 'fence') section.text += `${token.content} `;
  });
}

/** A sequence diagram (mermaid.js.org) as steps, which also a phone and a screen reader can show: who sends what to whom. */
function sequence(source: string): Html {
  const names = new Map(
    [...source.matchAll(/^ *participant (\w+) as (.+)$/gm)].map(([, id = '', name = '']) => [id, name]),
  );
  const nameOf = (id = '') => names.get(id) ?? id;
  const steps = [...source.matchAll(/^ *(\w+)--?>>(\w+): (.+)$/gm)];
  return html`<ol class="steps">${steps.map(
    ([, from, to, text]) =>
      html`<li><strong>${nameOf(from)}${from === to ? '' : ` → ${nameOf(to)}`}</strong> ${text}</li>`,
  )}</ol>`;
}

/** Raw HTML is off, although these files are our own: they contain none. */
const MARKDOWN = new MarkdownIt({ html: false });
MARKDOWN.core.ruler.push('collect', collect);
// Comments mark generated parts for the generator, and are not rendered.
MARKDOWN.block.ruler.before(
  'paragraph',
  'comment',
  (state, line, _end, silent) => {
    const start = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
    const text = state.src.slice(start, state.eMarks[line]).trimEnd();
    if (!text.startsWith('<!--') || !text.endsWith('-->')) return false;
    if (!silent) state.line = line + 1;
    return true;
  },
  { alt: ['paragraph', 'reference', 'blockquote', 'list'] },
);
/** From so many columns on each cell of a row that is stacked on a phone says which it is. */
const LABELS_FROM = 3;

/** The headings of the table that begins at a token. */
function headsOf(tokens: readonly Token[], at: number): string[] {
  const end = tokens.findIndex(({ type }, n) => n > at && type === 'thead_close');
  return tokens.slice(at, end).flatMap((token) => (token.type === 'inline' ? [textOf(token)] : []));
}

// A table that is wider than the page scrolls in a box that can be focused by keyboard.
MARKDOWN.renderer.rules.table_open = (tokens, n, _options, env) => {
  const collected = env as Collected;
  collected.tables += 1;
  collected.heads = headsOf(tokens, n);
  return `<div class="scroll" tabindex="0" role="region" aria-label="Table ${collected.tables}"><table class="data-table">\n`;
};
MARKDOWN.renderer.rules.tr_open = (tokens, n, options, env, self) => {
  (env as Collected).column = 0;
  return self.renderToken(tokens, n, options);
};
MARKDOWN.renderer.rules.td_open = (tokens, n, options, env, self) => {
  const collected = env as Collected;
  const { heads, column } = collected;
  collected.column += 1;
  const label = column > 0 && heads.length >= LABELS_FROM ? (heads[column] ?? '') : '';
  if (label !== '') tokens[n]?.attrSet('data-label', label);
  return self.renderToken(tokens, n, options);
};
MARKDOWN.renderer.rules.table_close = () => '</table></div>\n';
MARKDOWN.renderer.rules.fence = (tokens, n) => {
  const { content = '', info = '' } = tokens[n] ?? {};
  return `${info === 'mermaid' ? sequence(content) : codeBlock(content, info)}\n`;
};
// Each section has a link to itself, which can be copied.
MARKDOWN.renderer.rules.heading_close = (tokens, n) => {
  const [open, text, close] = tokens.slice(n - 2, n + 1);
  const link = String(
    html` <a class="anchor" href="#${open?.attrGet('id') ?? ''}" aria-label="Link to “${text ? textOf(text) : ''}”">#</a>`,
  );
  return `${close?.tag === 'h1' ? '' : link}</${close?.tag}>\n`;
};
MARKDOWN.renderer.rules.image = (tokens, n) => MARKDOWN.utils.escapeHtml(tokens[n]?.content ?? '');

/**
 * Renders a document.
 * @param name the name of its file, without `.md`
 * @param folder that of the file below `docs`: its links to the others begin with `../`
 */
export function renderDoc(name: string, text: string, folder = ''): Doc {
  const collected: Collected = {
    folder,
    sections: [],
    linksTo: [],
    groups: [],
    tables: 0,
    heads: [],
    column: 0,
  };
  const html = MARKDOWN.render(text, collected);
  const { sections, linksTo, groups } = collected;
  return { name, title: sections[0]?.heading ?? name, html, sections, linksTo, groups };
}
