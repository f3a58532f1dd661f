import MarkdownIt, { type StateCore, type Token } from 'markdown-it';

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
};

/** What is gathered while a document is rendered. */
type Gathered = { sections: Section[]; linksTo: string[]; tables: number };

/** The id that a heading gets in GitHub's pages too, so that a link works in either place. */
export function slugOf(heading: string, taken: ReadonlySet<string>): string {
  const slug = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
  for (let n = 0; ; n += 1) {
    const id = n === 0 ? slug : `${slug}-${n}`;
    if (!taken.has(id)) return id;
  }
}

/** Where a link of a document leads in the store; null for files that the store does not serve. */
export function addressOfLink(href: string): string | null {
  if (href.startsWith('#') || href.startsWith('https://') || /^\/(?!\/)/.test(href)) return href;
  const [, folder, name, anchor = ''] = /^(codes\/)?([\w.-]+)\.md(#.*)?$/.exec(href) ?? [];
  if (name === undefined || name.startsWith('.')) return null;
  if (folder) return name === 'README' ? '/docs/codes' : `/docs/codes/${name}`;
  return `${name === 'index' ? '/docs' : `/docs/${name}`}${anchor}`;
}

const textOf = (token: Token): string =>
  (token.children ?? []).map(({ type, content }) => (type === 'softbreak' ? ' ' : content)).join('');

/** Leads links to where the store serves what they name; of the others what they say is kept. */
function leadLinks(children: readonly Token[], { linksTo }: Gathered): Token[] {
  let kept = true;
  return children.flatMap((token) => {
    if (token.type === 'link_open') {
      const address = addressOfLink(String(token.attrGet('href')));
      kept = address !== null;
      if (address === null) return [];
      token.attrs = [['href', address]];
      const name = /^\/docs\/([^/#]+)/.exec(address)?.[1];
      if (name !== undefined) linksTo.push(name);
    }
    return token.type === 'link_close' && !kept ? [] : token;
  });
}

function gather(state: StateCore): void {
  const found = state.env as Gathered;
  const taken = new Set<string>();
  state.tokens.forEach((token, n) => {
    const inline = state.tokens[n + 1];
    if (token.type === 'heading_open' && inline) {
      const heading = textOf(inline);
      const id = slugOf(heading, taken);
      taken.add(id);
      token.attrSet('id', id);
      found.sections.push({ id, heading, level: Number(token.tag.slice(1)), text: '' });
    }
    if (token.children) token.children = leadLinks(token.children, found);
    const section = found.sections.at(-1);
    const isHeading = state.tokens[n - 1]?.type === 'heading_open';
    if (!section || isHeading) return;
    if (token.type === 'inline') section.text += `${textOf(token)} `;
    if (token.type === 'fence') section.text += `${token.content} `;
  });
}

/** These files are our own, and still hold no HTML: what they say is all that a page shows. */
const MARKDOWN = new MarkdownIt({ html: false });
MARKDOWN.core.ruler.push('gather', gather);
// The marks around what is generated are for the generator alone.
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
// What is wider than the page scrolls within itself, by keyboard too.
MARKDOWN.renderer.rules.table_open = (_tokens, _n, _options, env) => {
  const found = env as Gathered;
  found.tables += 1;
  return `<div class="scroll" tabindex="0" role="region" aria-label="Table ${found.tables}"><table>\n`;
};
MARKDOWN.renderer.rules.table_close = () => '</table></div>\n';
MARKDOWN.renderer.rules.fence = (tokens, n) =>
  `<pre tabindex="0"><code>${MARKDOWN.utils.escapeHtml(tokens[n]?.content ?? '')}</code></pre>\n`;
MARKDOWN.renderer.rules.image = (tokens, n) => MARKDOWN.utils.escapeHtml(tokens[n]?.content ?? '');

/**
 * Renders a document.
 * @param name of its file, without `.md`
 */
export function renderDoc(name: string, text: string): Doc {
  const found: Gathered = { sections: [], linksTo: [], tables: 0 };
  const html = MARKDOWN.render(text, found);
  const { sections, linksTo } = found;
  return { name, title: sections[0]?.heading ?? name, html, sections, linksTo };
}
