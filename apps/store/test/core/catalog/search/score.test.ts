import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ParsedQuery, scoreOf } from '../../../../src/core/catalog/search/score.ts';
import { parseQuery } from '../../../../src/core/catalog/search/search.ts';
import type { Candidate } from '../../../../src/core/domain/listings/search/search-index.ts';
import { wordsOf } from '../../../../src/core/domain/listings/search/words.ts';

type Says = Partial<Omit<Candidate, 'nameWords'>> & { name?: string };

const app = ({ name = 'Other', ...says }: Says): Candidate => ({
  place: 1,
  appId: 'com.example.x',
  nameWords: wordsOf(name),
  publisherWords: ['acme'],
  isVerified: false,
  installs: 0,
  rating: { average: 0, count: 0 },
  updatedAt: '',
  firstPublishedAt: '',
  nameKey: '',
  ...says,
});

const corrected = (q: string, correction: string): ParsedQuery => {
  const query = parseQuery(q);
  const words = query.words.map((word) => ({ ...word, corrections: new Set([correction]) }));
  return { ...query, words };
};

/** The best values of everything but the name. */
const BEST = { installs: 1e9, rating: { average: 5, count: 1e6 }, isVerified: true };

describe('the score of an app', () => {
  it('depends on the match first, whatever the popularity', () => {
    const wanted = parseQuery('pixel forge');
    const steps = [
      app({ name: 'Pixel Forge' }),
      app({ name: 'Pixel Forgery and much more of it', ...BEST }),
      app({ name: 'The Forge of Every Pixel There Is', ...BEST }),
      app({ name: 'Pixel', publisherWords: ['forge', 'works'], ...BEST }),
      app({ name: 'Painter', ...BEST }),
    ];
    const scores = steps.map((each) => scoreOf(wanted, each));
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(new Set(scores).size).toBe(scores.length);
  });

  it('is highest for an exact app id', () => {
    const wanted = parseQuery('Com.Example.X');
    expect(scoreOf(wanted, app({}))).toBeGreaterThan(
      scoreOf(wanted, app({ appId: 'com.example.xy', ...BEST })),
    );
  });

  it('is lower for an unverified publisher if all else is equal', () => {
    const wanted = parseQuery('notes');
    const by = (isVerified: boolean) => scoreOf(wanted, app({ name: 'Notes', isVerified }));
    expect(by(true)).toBeGreaterThan(by(false));
  });

  it('depends on installs and ratings when matches are equal', () => {
    const wanted = parseQuery('notes');
    const with_ = (says: Says) => scoreOf(wanted, app({ name: 'My Notes', ...says }));
    expect(with_({ installs: 100 })).toBeGreaterThan(with_({}));
    expect(with_({ rating: { average: 5, count: 50 } })).toBeGreaterThan(
      with_({ rating: { average: 5, count: 1 } }),
    );
  });

  it('is lower for a corrected word than for any name with the exact words', () => {
    const typed = scoreOf(parseQuery('notes'), app({ name: 'All the many notes that there are' }));
    const meant = scoreOf(corrected('notes', 'nodes'), app({ name: 'Nodes', ...BEST }));
    expect(meant).toBeLessThan(typed);
  });

  it('is an integer, as cursors require', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '.', '京', 'é'), maxLength: 12 });
    const appStats = fc.record({
      installs: fc.nat(),
      rating: fc.record({ average: fc.double({ min: 0, max: 5, noNaN: true }), count: fc.nat() }),
    });
    fc.assert(
      fc.property(text, text, appStats, (q, name, says) => {
        expect(Number.isSafeInteger(scoreOf(parseQuery(q), app({ name, ...says })))).toBe(true);
      }),
    );
  });
});
