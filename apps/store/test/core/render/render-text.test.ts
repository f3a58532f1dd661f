import { DEEP, runs } from '@svc/testkit';
import { anyText } from '@svc/testkit/any-text';
import { serveHere } from '@svc/testkit/http-server';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  closeContexts,
  NEEDS_BROWSER,
  openPage,
  shareBrowser,
} from '../../../../web/test/support/real-browser.ts';
import { renderMarkdown, renderReview, sanitise } from '../../../src/core/render/render-text.ts';
import { ATTACKING_TEXTS, ATTACKS } from '../../support/attacks.ts';

/** The elements that a rendered text may contain: a second list, independent of the renderer. */
const TAGS =
  /^(p|div|h[3-6]|ul|ol|li|dl|dt|dd|blockquote|pre|hr|table|caption|thead|tbody|tfoot|tr|th|td|a|em|strong|s|ins|code|kbd|samp|var|mark|q|small|sub|sup|br|details|summary|img|input)$/;
/** The attributes that it may have, each with its only values. */
const ATTRIBUTES =
  /^( (href="(https:\/\/|mailto:|#readme-)[^"<>]*"|rel="nofollow noopener ugc"|id="readme-[^"<>]*"|align="(left|center|right)"|(start|colspan|rowspan)="\d+"|class="alert (note|tip|important|warning|caution)"|type="checkbox"|disabled|checked|open|src="\/api\/apps\/[^"<>]*"|alt="[^"<>]*"|(width|height)="\d+%?"|loading="lazy"))*$/;
/** Where the hostile texts stand: with a prefix, and a picture that they can ask for. */
const PLACE = { anchor: 'readme', pictures: { x: '/api/apps/a.b/versions/1.0.0/readme/x' } };

/** The markup in some HTML that the renderer must not produce. */
function foreign(html: string): string[] {
  const marks = html.match(/<[^>]*>?/g) ?? [];
  return marks.filter((mark) => {
    const [, name = '', rest = ''] = /^<\/?([a-z0-9]+)(.*?)(?: \/)?>$/s.exec(mark) ?? [];
    return !TAGS.test(name) || !ATTRIBUTES.test(rest);
  });
}

const REL = 'rel="nofollow noopener ugc"';

describe('markdown', () => {
  it.each([
    ['# A\n\n## B\n\n###### C', '<h3>A</h3>\n<h4>B</h4>\n<h6>C</h6>'],
    ['## A\n\n### B', '<h3>A</h3>\n<h4>B</h4>'],
    ['*a* **b** ~~c~~ `d`', '<p><em>a</em> <strong>b</strong> <s>c</s> <code>d</code></p>'],
    ['3. a\n4. b', '<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>'],
    ['```js\na < b\n```', '<pre><code>a &lt; b\n</code></pre>'],
    ['[a](https://b.example/c "title")', `<p><a href="https://b.example/c" ${REL}>a</a></p>`],
    ['https://b.example', `<p><a href="https://b.example/" ${REL}>https://b.example</a></p>`],
    ['[a](docs/a.md) [b](#b) [c](http://c.example) README.md', '<p>a b c README.md</p>'],
    ['![a cat](https://b.example/c.png)', `<p><a href="https://b.example/c.png" ${REL}>a cat</a></p>`],
    [
      '![](https://b.example/c.png)',
      `<p><a href="https://b.example/c.png" ${REL}>https://b.example/c.png</a></p>`,
    ],
    [
      '[![build](https://b.example/c.svg)](https://d.example)',
      `<p><a href="https://d.example/" ${REL}>build</a></p>`,
    ],
    ['![a cat](cat.png)', '<p>a cat</p>'],
    ['<b>a</b><u>b</u>', '<p><strong>a</strong>b</p>'],
    ['<!-- a -->\n\nb <!-- c -->', '<p>b </p>'],
    ['<p align="center" style="position:fixed">a<br>b</p>', '<p align="center">a<br />b</p>'],
    ['<kbd>A</kbd> H<sub>2</sub>O', '<p><kbd>A</kbd> H<sub>2</sub>O</p>'],
    [
      '<details open><summary>a</summary>\n\n*b*\n\n</details>',
      '<details open><summary>a</summary>\n<p><em>b</em></p>\n</details>',
    ],
    ['<h1>A</h1>\n\n<h2 id="main">B</h2>', '<h3>A</h3>\n<h4>B</h4>'],
    ['<img src="https://b.example/c.png" alt="c">', `<a href="https://b.example/c.png" ${REL}>c</a>`],
    [
      '- [ ] a\n- [x] b',
      '<ul>\n<li><input type="checkbox" disabled /> a</li>\n<li><input type="checkbox" disabled checked /> b</li>\n</ul>',
    ],
    ['---\ntitle: A\ntags:\n  - b\n---\n\nc', '<p>c</p>'],
    ['---\r\nlicense: mit\r\n---\r\nc', '<p>c</p>'],
    ['---\n\na: b\n\n---\n', '<hr />\n<p>a: b</p>\n<hr />'],
    ['---\na: b\n', '<hr />\n<p>a: b</p>'],
    [
      '> [!note]  \n> a',
      '<blockquote class="alert note">\n<p><strong>Note</strong><br />\na</p>\n</blockquote>',
    ],
    ['> [!TIP]\n> a', '<blockquote class="alert tip">\n<p><strong>Tip</strong><br />\na</p>\n</blockquote>'],
    ['> [!TIP] a', '<blockquote>\n<p>[!TIP] a</p>\n</blockquote>'],
    ['a < b & <3', '<p>a &lt; b &amp; &lt;3</p>'],
    ['', ''],
  ])('becomes HTML: %j', (markdown, html) => {
    expect(renderMarkdown(markdown).trim()).toBe(html);
  });

  it('keeps tables and their alignment', () => {
    const html = renderMarkdown('| a | b |\n|:-|-:|\n| 1 | 2 |');
    expect(html).toContain('<th align="left">a</th>\n<th align="right">b</th>');
    expect(html).toContain('<td align="left">1</td>\n<td align="right">2</td>');
  });

  it('gives headings the anchors that authors link to, with the prefix of their place', () => {
    const text =
      '[a](#set-up--run) [b](#Setup-1) [c](#gone) [d](#top)\n\n# Set up & run\n\n## Setup\n\n## Setup\n\n<a name="top"></a>\n\n## Größe';
    const html = renderMarkdown(text, { anchor: 'readme' });
    expect(html).toContain(
      '<a href="#readme-set-up--run">a</a> <a href="#readme-setup-1">b</a> c <a href="#readme-top">d</a>',
    );
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(ids).toEqual([
      'readme-set-up--run',
      'readme-setup',
      'readme-setup-1',
      'readme-top',
      'readme-größe',
    ]);
    const copied =
      '[a](README.md#config) [b](./readme.md#user-content-config) [c](#️-config) [d](README.md)\n\n## ⚙️ Config';
    expect(renderMarkdown(`${copied}\n\n## Config`, { anchor: 'readme' })).toContain(
      '<p><a href="#readme-config">a</a> <a href="#readme-config">b</a> <a href="#readme--config">c</a> d</p>',
    );
    // A text without a place has no anchors: its ids could be those of another text on the page.
    expect(renderMarkdown(text)).not.toMatch(/ id=|href="#/);
  });

  it('links footnotes in both directions', () => {
    const html = renderMarkdown('a[^x]\n\n[^x]: *b*', { anchor: 'readme' });
    expect(html).toContain('<sup><a href="#readme-fn1" id="readme-fnref1">[1]</a></sup>');
    expect(html).toMatch(/<li id="readme-fn1"><p><em>b<\/em> <a href="#readme-fnref1">/);
  });

  it('shows pictures of the bundle only, whatever the address of others looks like', () => {
    const pictures = { 'assets/a b.png': '/api/apps/a.b/versions/1.0.0/readme/assets/a%20b.png' };
    const place = { anchor: 'readme', pictures };
    const shown = '<img src="/api/apps/a.b/versions/1.0.0/readme/assets/a%20b.png" alt="a" loading="lazy" />';
    for (const src of [
      'assets/a%20b.png',
      './assets/a%20b.png',
      '/assets/a%20b.png?raw=true',
      'docs/../assets/a%20b.png',
    ])
      expect(renderMarkdown(`![a](${src})`, place)).toBe(`<p>${shown}</p>\n`);
    expect(renderMarkdown('<img src="assets/a b.png" alt="a" width="40" onload="x">', place)).toContain(
      ' width="40" loading="lazy" />',
    );
    for (const src of [
      '//host.example/assets/a%20b.png',
      'assets/gone.png',
      'file:///assets/a%20b.png',
      'constructor',
      '\\\\host.example\\assets/a%20b.png',
    ])
      expect(renderMarkdown(`![a](${src})`, place), src).not.toContain('<img');
  });

  it('is cut at the end of a line if it is longer than 64 KiB', () => {
    const html = renderMarkdown('0123456\n'.repeat(10_000));
    expect(html).toMatch(/0123456<\/p>\n<p>…<\/p>\n$/);
    expect(html.length).toBeLessThan(70_000);
    expect(renderMarkdown('x'.repeat(100_000))).toBe(`<p>${'x'.repeat(64 * 1024)}</p>\n<p>…</p>\n`);
  });
});

describe('a review', () => {
  it.each([
    ['One.\nTwo.\n\nThree.', '<p>One.<br />\nTwo.</p>\n<p>Three.</p>'],
    ['*a* [b](c) # d\n# e\n- f', '<p>*a* [b](c) # d<br />\n# e<br />\n- f</p>'],
    ['see https://a.example/b.', `<p>see <a href="https://a.example/b" ${REL}>https://a.example/b</a>.</p>`],
    [
      'a@b.example a.example http://a.example ftp://a.example',
      '<p>a@b.example a.example http://a.example ftp://a.example</p>',
    ],
    ['<b>&amp;\\*', '<p>&lt;b&gt;&amp;amp;\\*</p>'],
  ])('has only line breaks and links as markup: %j', (text, html) => {
    expect(renderReview(text).trim()).toBe(html);
  });
});

describe('hostile texts', () => {
  it.each([
    ['quotes in quotes', '>', 64 * 1024],
    ['brackets', '[', 64 * 1024],
    ['images', '![', 64 * 1024],
    ['lists in lists', '- ', 64 * 1024],
    ['emphasis', '*_', 64 * 1024],
    ['elements', '<b>', 64 * 1024],
    ['blocks', '<div>\n\n', 64 * 1024],
    ['footnotes in footnotes', '^[', 64 * 1024],
    ['many rows of many columns', 'a|', 200],
  ])('do not exhaust the stack: %s', (_what, piece, length) => {
    const text = piece.repeat(length / piece.length);
    const table = `${text}\n${'-|'.repeat(length / 2)}\n${'a\n'.repeat(20_000)}`;
    expect(foreign(renderMarkdown(piece === 'a|' ? table : text))).toEqual([]);
    expect(foreign(renderReview(text))).toEqual([]);
  });

  it('get at most 1,000 links, and none to an address of more than 2,000 characters', () => {
    const text = `[a]: https://example.com/${'x'.repeat(1_900)} "${'y'.repeat(5_000)}"\n\n${'[a] '.repeat(12_000)}`;
    const html = renderMarkdown(text);
    expect(html.match(/<a /g)).toHaveLength(1_000);
    expect(html.length).toBeLessThan(4_000_000);
    expect(renderMarkdown(`[a](https://example.com/${'x'.repeat(2_000)})`)).toBe('<p>a</p>\n');
  });

  it('never become other markup than the allowed elements', () => {
    const part = fc.oneof(
      fc.constantFrom(
        ...'<>[]()!`*_~|#&;:"\'\\/=- \n\t'.split(''),
        '](',
        '<a href="',
        'javascript:',
        'https://a.b',
        '&#x3c;',
        '```',
        '<img src=x onerror=alert(1)>',
        '<h1 id=a>',
        '<details>',
        '</details>',
        '<table><a href=#a>',
        '<p align=center style=x>',
        '[^1]: ',
        '> [!NOTE]\n',
        '- [x] ',
      ),
      fc.constantFrom(...ATTACKS),
      anyText({ maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const text = parts.join('');
        expect(foreign(renderMarkdown(text, PLACE))).toEqual([]);
        expect(foreign(renderReview(text)).filter((mark) => !/^<\/?(p|br|a)\b/.test(mark))).toEqual([]);
      }),
      { numRuns: runs(300) },
    );
  });
});

/** A page with some HTML. It is served without a Content-Security-Policy, so that only the renderer prevents attacks. */
const pageOf = (bodies: readonly string[], wrap: (body: string) => string) =>
  `<!doctype html><meta charset="utf-8"><main>${bodies.map(wrap).join('\n')}</main>`;

/** Opens a page in a real browser, and returns its incidents and requests. */
async function openInBrowser(html: string) {
  const url = await serveHere(() => (_request, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(html);
  });
  const browser = await shareBrowser();
  onTestFinished(() => closeContexts(browser));
  const opened = await openPage(browser, url);
  return { ...opened, url };
}

/** The contents of the sections of a page. */
type Seen = { sections: number; around: number; tags: string[]; attributes: string[]; schemes: string[] };

/** Runs in the page: dispatches the events that an attack can wait for, and returns the contents of the sections. */
const LOOK = `(() => {
  const inside = [...document.querySelectorAll('section *')];
  for (const element of inside)
    for (const type of ['mouseover', 'focus', 'pointerdown', 'animationend', 'toggle', 'error', 'load'])
      element.dispatchEvent(new Event(type));
  const distinct = (values) => [...new Set(values)].sort();
  return {
    sections: document.querySelectorAll('main > section').length,
    around: document.querySelectorAll('*').length - inside.length,
    tags: distinct(inside.map((element) => element.localName)),
    attributes: distinct(inside.flatMap((element) => element.getAttributeNames())),
    schemes: distinct(inside.filter((element) => element.hasAttribute('href')).map((link) => link.protocol)),
  };
})()`;

describe('in a real browser', NEEDS_BROWSER, () => {
  it('a rendered attack runs no script and sends no request, at any position in a text', DEEP, async () => {
    const rendered = ATTACKING_TEXTS.flatMap((text) => [renderMarkdown(text, PLACE), renderReview(text)]);
    // The sanitiser must also work without the renderer.
    const bodies = [...rendered, ...ATTACKS.map(sanitise)];
    const { page, incidents, requests, url } = await openInBrowser(
      pageOf(bodies, (body) => `<section>${body}</section>`),
    );
    const seen = await page.evaluate<Seen>(LOOK);
    // A text that closes its section, or opens an element around the next ones, would change these numbers.
    expect(seen.sections).toBe(bodies.length);
    expect(seen.around).toBe(bodies.length + 5);
    expect(seen.tags.filter((tag) => !TAGS.test(tag))).toEqual([]);
    const allowed =
      'align alt checked class colspan disabled height href id loading open rel rowspan src start type width';
    expect(seen.attributes.filter((name) => !allowed.split(' ').includes(name))).toEqual([]);
    // In-page links have the scheme of the page.
    expect(seen.schemes).toEqual(['http:', 'https:', 'mailto:']);
    expect(incidents).toEqual([]);
    // The one picture that the place allows, and nothing else.
    expect([...new Set(requests)].filter((address) => !address.endsWith(PLACE.pictures.x))).toEqual([
      `${url}/`,
    ]);
    expect(page.url()).toBe(`${url}/`);
  });

  it('an attack that is not rendered runs its script', async () => {
    const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
    const frame = (text: string) =>
      `<iframe sandbox="allow-scripts allow-modals" srcdoc="${escaped(text)}"></iframe>`;
    const attacks = ATTACKS.filter((text) => text.includes('onerror=alert(1)')).slice(0, 15);
    const html = `${pageOf(attacks, frame)}<img src="/asked-for">`;
    const { incidents, requests, url } = await openInBrowser(html);
    expect(incidents.filter((incident) => incident.startsWith('dialog')).length).toBeGreaterThan(5);
    expect(requests).toContain(`${url}/asked-for`);
  });
});
