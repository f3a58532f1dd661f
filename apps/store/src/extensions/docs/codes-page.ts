import { type Code, type Explanation, explain, RULES, type SamplePart } from '@svc/validator';
import { html } from 'hono/html';
import { type DocsPage, docsPage } from '../../core/web/docs-page.ts';
import { codeBlock } from '../../http/code-block.ts';
import { type Html, withCode } from '../../http/html.ts';
import { besides } from '../../http/shell.ts';
import { codePath } from '../../platform/link-issues.ts';
import { matcher } from './matcher.ts';

type Level = Explanation['level'];

const LEVELS: Readonly<Record<Level, { label: string; plural: string; tone: string }>> = {
  error: { label: 'error', plural: 'Errors', tone: 'bad' },
  'store-error': { label: 'store', plural: 'Store errors', tone: 'bad' },
  warning: { label: 'warning', plural: 'Warnings', tone: 'mild' },
};

/** Which codes a list shows: those with all words, and of one level. */
export type CodesView = { q: string; level: string };

const SORTED = RULES.toSorted((a, b) => (a.code < b.code ? -1 : 1));

const familyOf = (code: string): string => code.split('.')[0] ?? code;

const sample = ({ label, text }: SamplePart) => html`
  <p>${withCode(label)}${text === undefined ? '.' : ':'}</p>
  ${text === undefined ? '' : codeBlock(text)}`;

const badge = (level: Level): Html =>
  html`<span class="badge ${LEVELS[level].tone}">${LEVELS[level].label}</span>`;

const item = ({ code, level, why }: (typeof RULES)[number]): Html =>
  html`<li><a class="endpoint" href="${codePath(code)}">${badge(level)}<h3><code>${code}</code></h3><span class="soft">${withCode(why)}</span></a></li>`;

/** The page of a validation code, with the others of its family. */
export function codePage(code: Code): DocsPage {
  const { level, levelText, why, broken, fixed, path, mode, message } = explain(code);
  const family = SORTED.filter((rule) => familyOf(rule.code) === familyOf(code));
  return docsPage({
    title: code,
    crumbs: [['Documentation', '/docs'], ['Validation codes', '/docs/codes'], [code]],
    isWide: true,
    body: html`<main>
        <h1>${code}</h1>
        <p>${badge(level)} ${levelText}</p>
        <p>${withCode(why)}</p>
        <div class="pair"><section>
        <h2>Broken</h2>
        ${broken.map(sample)}
        <p>At ${path === '' ? 'the top' : html`<code>${path}</code>`}${mode === 'dev' ? ', when checked as a local folder' : ''}:</p>
        <blockquote>${withCode(message)}</blockquote>
        </section><section>
        <h2>Corrected</h2>
        ${fixed.map(sample)}
        </section></div>
        <p><a class="button" href="/check">Check a bundle</a></p>
      </main>
      ${besides(
        family.map((rule) => [codePath(rule.code), rule.code]),
        'Codes of this family',
        codePath(code),
      )}`,
  });
}

/** The list of codes by family: all, or those of a view. */
export function codesPage({ q, level }: CodesView): DocsPage {
  const has = matcher(q);
  const found = SORTED.filter((rule) => (level === '' || rule.level === level) && has(rule.code, rule.why));
  const families = [...new Set(found.map(({ code }) => familyOf(code)))];
  const link = (to: string, label: string): Html =>
    html`<li><a href="/docs/codes?${new URLSearchParams({ ...(q !== '' && { q }), ...(to !== '' && { level: to }) })}"${to === level ? html` aria-current="true"` : ''}>${label}</a></li>`;
  return docsPage({
    title: 'Validation codes',
    crumbs: [['Documentation', '/docs'], ['Validation codes']],
    isWide: true,
    body: html`<main>
        <h1>Validation codes</h1>
        <p>All errors and warnings that the checks report for a manifest or a bundle. Run the checks on your machine with <code>svc validate</code>, or <a href="/check">in your browser</a>.
        A code never changes its name or meaning.</p>
        <ul class="pills" aria-label="Level">${link('', 'All')}${Object.entries(LEVELS).map(([to, { plural }]) => link(to, plural))}</ul>
        <p class="soft" role="status">${found.length === 0 ? 'No code matches.' : found.length === 1 ? '1 code' : `${found.length} codes`}</p>
        ${families.map(
          (family) =>
            html`<h2 id="${family}">${family}</h2><ul class="endpoints">${found.filter(({ code }) => familyOf(code) === family).map(item)}</ul>`,
        )}
      </main>
      ${besides(
        families.map((family) => [`#${family}`, family]),
        'Families of codes',
      )}`,
    search: { action: '/docs/codes', label: 'Search the codes', query: q },
  });
}
