import { cpuMs } from '@svc/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffLines } from '../../../src/moderation/files/diff-lines.ts';

const signsOf = (before: string, after: string): string =>
  diffLines([...before], [...after])
    .map(({ sign, text }) => `${sign}${text}`)
    .join('');

const LINES = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 });

describe('the difference of two texts', () => {
  it.each([
    ['abc', 'abc', ' a b c'],
    ['abc', 'axc', ' a-b+x c'],
    ['', 'ab', '+a+b'],
    ['ab', '', '-a-b'],
    ['abcabba', 'cbabac', '-a-b c+b a b-b a+c'],
  ])('of %j and %j', (before, after, signs) => {
    expect(signsOf(before, after)).toBe(signs);
  });

  it('contains every line of both texts, in order', () => {
    fc.assert(
      fc.property(LINES, LINES, (before, after) => {
        const changes = diffLines(before, after);
        const side = (without: string) => changes.filter(({ sign }) => sign !== without);
        expect(side('+').map(({ text }) => text)).toEqual(before);
        expect(side('-').map(({ text }) => text)).toEqual(after);
        expect(side('+').map((change) => change.before)).toEqual(before.map((_, i) => i + 1));
        expect(side('-').map((change) => change.after)).toEqual(after.map((_, i) => i + 1));
      }),
    );
  });

  it('is the shortest', () => {
    const changed = diffLines([...'abcabba'], [...'cbabac']).filter(({ sign }) => sign !== ' ');
    // The example of Myers (1986): five changes.
    expect(changed).toHaveLength(5);
  });

  it('hides nothing of completely different files, and terminates', () => {
    const [before, after] = ['a', 'b'].map((letter) =>
      Array.from({ length: 20_000 }, (_, i) => `${letter}${i}`),
    ) as [string[], string[]];
    const started = cpuMs();
    const changes = diffLines(before, after);
    expect(changes).toHaveLength(40_000);
    expect(cpuMs() - started).toBeLessThan(5_000);
  });
});
