import { describe, expect, it } from 'vitest';
import { isLight, synonymsOf } from '../../../../../src/core/domain/listings/search/synonyms.ts';
import { formsOf, inflectedStem } from '../../../../../src/core/domain/listings/search/word-forms.ts';

describe('the forms of a word', () => {
  it.each([
    ['taking', 'take'],
    ['take', 'taken'],
    ['notes', 'note'],
    ['note', 'notes'],
    ['planning', 'planner'],
    ['planner', 'plan'],
    ['editing', 'editor'],
    ['editor', 'edit'],
    ['translation', 'translate'],
    ['translate', 'translator'],
    ['categories', 'category'],
    ['category', 'categories'],
    ['mice', 'mouse'],
    ['photograph', 'photo'],
    ['notizen', 'notiz'],
    ['invitation', 'invite'],
    ['reserve', 'reservation'],
  ])('%s has %s', (word, form) => {
    expect(formsOf(word)).toContain(form);
    expect(formsOf(word)).not.toContain(word);
  });

  it('are few, and none of short words, other scripts and names of code', () => {
    for (const word of ['internationalisations', 'ing', 'e'.repeat(32)])
      expect(formsOf(word).size).toBeLessThan(60);
    for (const word of ['a', 'ab', '東京', 'погода', 'd20', 'constructor'.slice(0, 2)])
      expect(formsOf(word).size).toBe(0);
    expect(formsOf('constructor').size).toBeGreaterThan(0);
  });

  it('are none of the words that most texts have', () => {
    expect(formsOf('notes')).toContain('note');
    expect(formsOf('notes').union(formsOf('note')).has('not')).toBe(false);
  });

  it('of Cyrillic and Greek words have a stem', () => {
    expect(inflectedStem('заметки')).toBe('заметк');
    expect(inflectedStem('καλημερα')).toBe('καλημερ');
    for (const word of ['дом', 'notes', '東京東京東']) expect(inflectedStem(word)).toBeNull();
  });
});

describe('words for the same', () => {
  it.each([
    ['todo', 'tasks'],
    ['email', 'mail'],
    ['photos', 'pictures'],
    ['notizen', 'notes'],
    ['facture', 'invoices'],
  ])('%s is %s', (word, other) => {
    expect(synonymsOf(word)).toContain(other);
  });

  it('are none for a todo in a text that lists something', () => {
    expect(synonymsOf('todo')).not.toContain('lists');
    expect(synonymsOf('list')).toContain('checklist');
  });

  it('are none for other words, whatever their name', () => {
    for (const word of ['zebra', '__proto__', 'constructor', 'tostring'])
      expect(synonymsOf(word).size).toBe(0);
    expect(isLight('constructor')).toBe(false);
    expect(isLight('app')).toBe(true);
  });
});
