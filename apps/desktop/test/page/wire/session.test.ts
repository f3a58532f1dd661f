import { describe, expect, it } from 'vitest';
import { readLink, takeKey } from '../../../page/src/wire/session.ts';

/** A fake window with a hash, and the URLs passed to `replaceState`. */
function windowAt(hash: string) {
  const replaced: unknown[] = [];
  const location = { hash, pathname: '/' } as Location;
  const history = { replaceState: (...all: unknown[]) => void replaced.push(all[2]) } as unknown as History;
  return { location, history, replaced };
}

describe('the key of a one-time link', () => {
  it('is removed from the URL, which keeps the target of the link', () => {
    const place = windowAt('#key=abc_-9&to=/dev/com.example.notes');
    expect(takeKey(place)).toBe('abc_-9');
    expect(place.replaced).toEqual(['/#/dev/com.example.notes']);
  });

  it('works without a target', () => {
    expect(readLink('#key=abc')).toEqual({ key: 'abc', to: '' });
    const place = windowAt('#key=abc');
    takeKey(place);
    expect(place.replaced).toEqual(['/']);
  });

  it('is not read from an invalid link, which never changes the URL to another site', () => {
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
