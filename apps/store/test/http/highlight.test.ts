import { html } from 'hono/html';
import { expect, it } from 'vitest';
import { highlighted } from '../../src/http/highlight.ts';

const shown = (text: string, language: string) => String(html`${highlighted(text, language)}`);

it.each([
  ['sh', `svc login --name 'a b' # once`, `svc login --name <b>&#39;a b&#39;</b> <i># once</i>`],
  ['ts', `const a = "x"; // why`, `const a = <b>&quot;x&quot;</b>; <i>// why</i>`],
  ['ts', '/** one */\nf()', '<i>/** one */</i>\nf()'],
  ['sh', 'curl https://store.test/a#b', 'curl https://store.test/a#b'],
  ['', `it's 'one'`, 'it&#39;s &#39;one&#39;'],
  ['text', '# <b>', '# &lt;b&gt;'],
  ['html', '<b title="<i>">', '&lt;b title=<b>&quot;&lt;i&gt;&quot;</b>&gt;'],
])('marks comments and strings of %s, and escapes all of it', (language, text, expected) => {
  expect(shown(text, language)).toBe(expected);
});
