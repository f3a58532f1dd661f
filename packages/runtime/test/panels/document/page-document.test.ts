import { expect, it } from 'vitest';
import { pageDocument } from '../../../src/panels/document/page-document.ts';
import type { ServedPanel } from '../../../src/panels/serve-panel.ts';
import { connectorApp } from '../../../src/parts.ts';

const ENTRY = 'ui/index.html';
const LINK = { key: 'a-key-"<', tool: 'panel_request' };

const documentOf = (html: string) =>
  pageDocument(
    {
      app: connectorApp('https://mcp.example.com/mcp', false),
      entry: ENTRY,
      files: new Map([[ENTRY, Buffer.from(html)]]),
      page: { connect: ['https://api.example.com'], resources: [] },
    } as unknown as ServedPanel,
    LINK,
  );

it('has the script and the policy first, behind the document type, and the page as its server gives it', () => {
  const page = '<html lang="en"><p>A &amp; B<script>1</script>';
  for (const start of ['', '<!doctype html>', '\uFEFF <!-- a > b --> \n<!-->\n<!DOCTYPE HTML SYSTEM "x">']) {
    const { html, csp } = documentOf(start + page);
    expect(html.startsWith(`${start}<script data-link="`)).toBe(true);
    expect(html.endsWith(page)).toBe(true);
    expect(html).toContain('a-key-\\&quot;&lt;');
    expect(html).toContain('connect-src https://api.example.com;');
    expect(csp).toEqual({ connectDomains: ['https://api.example.com'], resourceDomains: [] });
  }
  // What does not end has no document type.
  for (const start of ['<!-- a', '<!doctype html', ' '])
    expect(documentOf(start).html.startsWith('<script')).toBe(true);
});
