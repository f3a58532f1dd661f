import { html } from 'hono/html';
import { highlighted } from './highlight.ts';
import type { Html } from './html.ts';

/**
 * Lines of code, which can be focused by keyboard. The script of the header shows the button that copies them.
 * @param language as a fence of Markdown names it
 */
export const codeBlock = (code: string, language = ''): Html =>
  html`<div class="code-block"><pre tabindex="0"><code>${highlighted(code, language)}</code></pre><button type="button" class="quiet small" data-copy hidden>Copy</button></div>`;

/**
 * Blocks of code of which one is shown: radio buttons, as they need no script and arrow keys choose among them.
 * @param name unique within the page
 */
export const codeTabs = (name: string, label: string, tabs: Readonly<Record<string, Html>>): Html =>
  html`<fieldset class="examples"><legend class="sr">${label}</legend>${Object.entries(tabs).map(
    ([title, block], n) =>
      html`<label><input class="sr" type="radio" name="${name}"${n === 0 ? html` checked` : ''}>${title}</label>${block}`,
  )}</fieldset>`;
