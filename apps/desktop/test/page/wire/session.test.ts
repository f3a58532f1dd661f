import { describe, expect, it } from 'vitest';
import { readLink, takeKey } from '../../../page/src/wire/session.ts';

/** A window at an address, and what its history was told. */
function windowAt(hash: string) {
  const replaced: unknown[] = [];
  const location = { hash, pathname: '/' } as Location;
  const history = { replaceState: (...all: unknown[]) => void replaced.push(all[2]) } as unknown as History;
  return { location, history, replaced };
}

describe('the key of a one-time link', () => {
  it('is taken off the address, and leaves the way that the link leads', () => {
    const place = windowAt('#key=abc_-9&to=/dev/com.example.notes');
    expect(takeKey(place)).toBe('abc_-9');
    expect(place.replaced).toEqual(['/#/dev/com.example.notes']);
  });

  it('stands alone where the link leads nowhere', () => {
    expect(readLink('#key=abc')).toEqual({ key: 'abc', to: '' });
    const place = windowAt('#key=abc');
    takeKey(place);
    expect(place.replaced).toEqual(['/']);
  });

  it('is not found in what is no link, and the address stays', () => {
    for (const hash of ['', '#/apps', '#key=', '#key=a b', '#key=abc&to=//elsewhere.example ', '#xkey=abc']) {
      const place = windowAt(hash);
      const key = takeKey(place);
      expect(key === null || place.replaced.every((to) => String(to).startsWith('/#/') || to === '/')).toBe(
        true,
      );
    }
    expect(readLink('#key=<script>')).toBeNull();
  });
});
