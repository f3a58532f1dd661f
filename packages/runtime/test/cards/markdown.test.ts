import { cpuMs } from '@svc/testkit';
import { expect, it } from 'vitest';
import { safeHtml } from '../../src/cards/markdown.ts';

it('renders text, lists and links', () => {
  expect(safeHtml('# Hello\n\n**bold** [link](https://example.com/a)\n\n- one')).toBe(
    '<h1>Hello</h1>\n<p><strong>bold</strong> <a href="https://example.com/a" rel="noopener noreferrer nofollow" target="_blank">link</a></p>\n<ul>\n<li>one</li>\n</ul>',
  );
});

it.each([
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(1)>',
  '![x](https://evil.example/pixel.png)',
  '![x](https://evil.example/pixel.png "t")',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](&#106;avascript:alert(1))',
  '[x](data:text/html,<script>)',
  '[x](vbscript:x)',
  '[x](http://plain.example)',
  '[x](//evil.example)',
  '[x](https://user:pass@evil.example)',
  '<javascript:alert(1)>',
  '<a href="javascript:alert(1)">x</a>',
  '<style>*{display:none}</style>',
  '<iframe src="https://evil.example">',
  '<form action="https://evil.example"><button>Approve</button></form>',
  '[x]: javascript:alert(1)\n\n[x]',
  '```html\n<script>alert(1)</script>\n```',
  '`<img src=x>`',
  'a<!--<script>-->b',
  '[x](https://evil.example" onclick="alert(1))',
])('renders no script and no resource for %j', (text) => {
  const html = safeHtml(text);
  const tags = html.match(/<[^>]*>/g) ?? [];
  for (const tag of tags) {
    expect(tag).toMatch(
      /^<\/?(p|code|pre|span|h[1-6]|ul|ol|li|blockquote|strong|em|br|hr|a)( \/)?>$|^<a href="https:\/\/evil\.example[^"@]*" rel="noopener noreferrer nofollow" target="_blank">$/,
    );
  }
});

it('renders deeply nested text in less than three seconds of processor time', () => {
  const started = cpuMs();
  for (const text of ['>'.repeat(5_000), '['.repeat(5_000), '*a '.repeat(3_000), '- '.repeat(5_000)]) {
    expect(safeHtml(text).length).toBeLessThan(200_000);
  }
  expect(cpuMs() - started).toBeLessThan(3_000);
});
