import { html } from 'hono/html';
import type { Html } from './html.ts';

/** Lines of code, which can be focused by keyboard. The script of the header shows the button that copies them. */
export const codeBlock = (code: Html | string): Html =>
  html`<div class="code-block"><pre tabindex="0"><code>${code}</code></pre><button type="button" class="quiet small" data-copy hidden>Copy</button></div>`;
