import { describe, expect, it } from 'vitest';
import { addressOfLink, renderDoc, slugOf } from '../../../../src/extensions/docs/site/render-doc.ts';

describe('a link of a document', () => {
  it.each([
    ['files.md', '/docs/files'],
    ['files.md#rules', '/docs/files#rules'],
    ['index.md', '/docs'],
    ['reference/settings.md#all-settings', '/docs/settings#all-settings'],
    ['codes/README.md', '/docs/codes'],
    ['codes/remote.url.md', '/docs/codes/remote.url'],
    ['#here', '#here'],
    ['/api/docs', '/api/docs'],
    ['https://example.com/', 'https://example.com/'],
  ])('%s leads to %s', (href, address) => expect(addressOfLink(href)).toBe(address));

  it.each([
    '../SECURITY.md',
    '//evil.example',
    'http://evil.example',
    'javascript:alert(1)',
    '../x/y.md',
    '..md',
  ])('%s is not a page of the store', (href) => expect(addressOfLink(href)).toBeNull());

  it('of a page in a folder leads to the others', () => {
    const { html } = renderDoc('b', '# B\n\n[up](../files.md) [out](../../SECURITY.md)', 'reference');
    expect(html).toContain('<a href="/docs/files">up</a> out');
  });

  it('to a file outside of the documents is rendered as its text', () => {
    const { html } = renderDoc(
      'a',
      '# A\n\nSee [the **security** page](../SECURITY.md) and [files](files.md).',
    );
    expect(html).toContain('See the <strong>security</strong> page and <a href="/docs/files">files</a>.');
  });
});

it('shows markup as text', () => {
  const { html } = renderDoc(
    'a',
    '# A\n\n<script>x</script>\n\n![p](https://evil.example/p.png)\n\n```"><script>\n<b>\n```\n',
  );
  expect(html).not.toMatch(/<script|<img|<b>/);
  expect(html).toContain('&lt;script&gt;');
});

it('gives each heading a unique id, and collects the text of its section', () => {
  const doc = renderDoc(
    'a',
    '# The `svc` API\n\nIntro.\n\n## Keys, signed\n\n- one\n\n## Keys signed\n\n```sh\nrun it\n```\n',
  );
  expect(doc.title).toBe('The svc API');
  expect(doc.sections.map(({ id, text }) => [id, text.trim()])).toEqual([
    ['the-svc-api', 'Intro.'],
    ['keys-signed', 'one'],
    ['keys-signed-1', 'run it'],
  ]);
  expect(slugOf('What’s new?', new Set())).toBe('whats-new');
});

it('omits the comments around generated text, but not comments in code', () => {
  const { html, sections } = renderDoc(
    'a',
    '# A\n\n<!-- bounds: generated -->\n- one\n- two\n<!-- /bounds -->\n\nAfter.\n\n```\n<!-- kept -->\n```\n',
  );
  expect(html).not.toContain('bounds');
  expect(html).toContain('<li>one</li>\n<li>two</li>\n</ul>\n<p>After.</p>');
  expect(html.match(/&lt;!--.*?--&gt;/g)).toEqual(['&lt;!-- kept --&gt;']);
  expect(sections[0]?.text).not.toContain('bounds');
});

it('shows a sequence diagram as steps, and its texts as text', () => {
  const { html } = renderDoc(
    'a',
    '# A\n\n```mermaid\nsequenceDiagram\n  participant U as User\n  participant D as A <b>\n  U->>D: asks\n  D-->>U: answers\n  D->>D: waits\n```\n',
  );
  expect([...html.matchAll(/<li>(.*?)<\/li>/g)].map(([, step]) => step)).toEqual([
    '<strong>User → A &lt;b&gt;</strong> asks',
    '<strong>A &lt;b&gt; → User</strong> answers',
    '<strong>A &lt;b&gt;</strong> waits',
  ]);
});

it('says in each cell of a wide table which column it is, for rows that are stacked on a phone', () => {
  const { html } = renderDoc('limits', '# Limits\n\n|queue|time|waiting|\n|---|---|---|\n|quick|3 s|256|\n');
  expect(html).toContain('<td>quick</td>\n<td data-label="time">3 s</td>\n<td data-label="waiting">256</td>');
  expect(renderDoc('two', '|a|b|\n|---|---|\n|c|d|\n').html).not.toContain('data-label');
});
