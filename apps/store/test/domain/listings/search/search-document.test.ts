import { expect, it } from 'vitest';
import { toSearchDocument } from '../../../../src/domain/listings/search/search-document.ts';

it('indexes an app by its words, the prefixes of the words in its name, and its categories', () => {
  const { keys, nameWords, publisherWords, mainWords } = toSearchDocument(
    { appId: 'com.acme.gear-box', name: 'NotePad', description: 'Writes notes.', categories: ['data'] },
    { slug: 'acme', name: 'Acmé' },
  );
  expect([...keys].sort()).toEqual(
    [
      ...['name:note', 'name:notepad', 'name:pad', 'start:n', 'start:no', 'start:not', 'start:p', 'start:pa'],
      ...['start:pad', 'category:data', 'word:acme', 'word:box', 'word:gear', 'word:note', 'word:notepad'],
      ...['word:notes', 'word:pad', 'word:writes'],
    ].sort(),
  );
  expect({ nameWords, publisherWords }).toEqual({ nameWords: ['notepad'], publisherWords: ['acme', 'acme'] });
  expect(mainWords).toEqual(new Set(['notepad', 'note', 'pad', 'acme']));
});
