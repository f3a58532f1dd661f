import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitPage } from '../../src/init/split-page.ts';

const split = (html: string) => {
  const { html: page, files } = splitPage(html, 'board');
  return { page, files: Object.fromEntries(files) };
};

describe('splitPage', () => {
  it('moves each inline script into a file, and refers to it at the same position', () => {
    const html =
      '<p>a</p><script>one()</script><p>b</p><SCRIPT type="module" data-x=">">two()</SCRIPT ><p>c</p>';
    expect(split(html)).toEqual({
      page: '<p>a</p><script src="board-1.js"></script><p>b</p><script type="module" data-x=">" src="board-2.js"></script><p>c</p>',
      files: { 'board-1.js': 'one()', 'board-2.js': 'two()' },
    });
  });

  it('does not change data blocks, external scripts and unclosed tags', () => {
    for (const html of [
      '<script type="application/json">{}</script>',
      '<script type="importmap">{}</script>',
      '<script src="a.js"></script>',
      '<script></script>',
      '<script>never',
      '<script',
      '<p>no script</p>',
      '',
    ])
      expect(split(html)).toEqual({ page: html, files: {} });
  });

  it('moves only text of the page, and refers to every file', () => {
    const piece = fc.constantFrom(
      '<script>',
      '</script>',
      '<script src="x">',
      'x',
      '"',
      '<',
      '>',
      '</script',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const { html, files } = splitPage(pieces.join(''), 'p');
        for (const [name, text] of files) {
          expect(html).toContain(`src="${name}"></script>`);
          expect(pieces.join('')).toContain(text);
        }
        if (files.size === 0) expect(html).toBe(pieces.join(''));
      }),
    );
  });
});
