import { type Code, type Explanation, explain, RULES, type SamplePart } from '@svc/validator';
import { html } from 'hono/html';
import { breadcrumbs } from '../../http/shell.ts';
import { codePath } from '../../platform/link-issues.ts';
import { codeBlock, type DocsPage, docsPage, prose, table } from './page.ts';

const LEVEL_WORDS: Record<Explanation['level'], string> = {
  error: 'error',
  warning: 'warning',
  'store-error': 'error in the store, warning in dev',
};

const sample = ({ label, text }: SamplePart) => html`
  <p>${prose(label)}${text === undefined ? '.' : ':'}</p>
  ${text === undefined ? '' : codeBlock(text)}`;

/** The page of a validation code. */
export function codePage(code: Code): DocsPage {
  const { levelText, why, broken, fixed, path, mode, message } = explain(code);
  return docsPage(
    `${code}`,
    html`<div class="intro" role="region" aria-label="About this page">
        ${breadcrumbs(['Documentation', '/docs'], ['Validation codes', '/docs/codes'], [code])}
        <h1><code>${code}</code></h1>
        <p>${levelText}</p>
        <p>${prose(why)}</p>
      </div>
      <main>
        <h2>Broken</h2>
        ${broken.map(sample)}
        <p>At ${path === '' ? 'the top' : html`<code>${path}</code>`}${mode === 'dev' ? ', when checked as a local folder' : ''}:</p>
        <blockquote>${message}</blockquote>
        <h2>Corrected</h2>
        ${fixed.map(sample)}
      </main>`,
  );
}

const row = ({ code, level, why }: (typeof RULES)[number]) => html`
  <tr>
    <th scope="row"><a href="${codePath(code)}"><code>${code}</code></a></th>
    <td>${LEVEL_WORDS[level]}</td>
    <td>${prose(why)}</td>
  </tr>`;

export function codesPage(): DocsPage {
  const sorted = RULES.toSorted((a, b) => (a.code < b.code ? -1 : 1));
  return docsPage(
    'Validation codes',
    html`<div class="intro" role="region" aria-label="About this page">
        ${breadcrumbs(['Documentation', '/docs'], ['Validation codes'])}
        <h1>Validation codes</h1>
        <p>All errors and warnings that the checks report for a manifest or a bundle. Run the checks on your machine with <code>svc validate</code>, or <a href="/check">in your browser</a>.
        A code never changes its name or meaning.</p>
      </div>
      <main>${table('Validation codes', ['Code', 'Level', 'Why'], sorted.map(row))}</main>`,
  );
}
