import { describe, expect, it } from 'vitest';
import { searchDocs } from '../../../../src/extensions/docs/site/doc-pages.ts';
import { renderDoc } from '../../../../src/extensions/docs/site/render-doc.ts';

const pages = new Map(
  [
    renderDoc('keys', '# Keys\n\nHow to rotate.\n\n## Theft\n\nA stolen key.\n'),
    renderDoc(
      'backup',
      `# Backup\n\n${'Much text. '.repeat(60)}Keys are not in it. ${'More. '.repeat(90)}\n`,
    ),
  ].map((doc) => [doc.name, doc]),
);
const docs = { index: null, pages };
const found = (question: string) => searchDocs(docs, question).map(({ section }) => section.id);

describe('a search of the documents', () => {
  it('ranks a title before a text', () => expect(found('KEYS')).toEqual(['keys', 'theft', 'backup']));

  it('finds sections that contain every word', () => {
    expect(found('stolen key')).toEqual(['theft']);
    expect(found('stolen text')).toEqual([]);
  });

  it('shows an excerpt with the words', () => {
    const [hit] = searchDocs(docs, 'not in it');
    expect(hit?.excerpt).toContain('Keys are not in it');
    expect(hit?.excerpt.length).toBeLessThan(230);
  });

  it.each(['', '   ', '.*', '<script>', 'x'.repeat(200), '%00'])('finds nothing for %j', (question) =>
    expect(found(question)).toEqual([]),
  );
});
