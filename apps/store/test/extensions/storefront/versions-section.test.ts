import { raw } from 'hono/html';
import { expect, it } from 'vitest';
import { hideHeading } from '../../../src/extensions/storefront/versions-section.ts';

const hidden = (rendered: string, repeated: string) => String(hideHeading(raw(rendered), repeated));

it('hides a first heading that repeats the name or the version above it, and keeps it for screen readers', () => {
  expect(hidden('<h3>1.0.0</h3>\n<p>First.</p>', '1.0.0')).toBe('<h3 class="sr">1.0.0</h3>\n<p>First.</p>');
  expect(hidden('<h3>A &amp; B</h3><p>Notes.</p>', 'A & B')).toBe(
    '<h3 class="sr">A &amp; B</h3><p>Notes.</p>',
  );
  expect(hidden('<h3 id="readme-notes" align="center">Notes</h3><p>a</p>', 'Notes')).toBe(
    '<h3 class="sr" id="readme-notes">Notes</h3><p>a</p>',
  );
});

it('keeps other headings, and the same heading if it is not first', () => {
  for (const text of ['<h3>Notes</h3><p>a</p>', '<p>a</p><h3>1.0.0</h3>', ''])
    expect(hidden(text, '1.0.0')).toBe(text);
});
