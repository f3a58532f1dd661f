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

  it.each([
    '',
    '#/apps',
    '#key=',
    '#key=a b',
    '#key=<script>',
    '#key=abc&to=https://elsewhere.example',
    '#xkey=abc',
  ])('is not read from %j, and the URL is not changed', (hash) => {
    const place = windowAt(hash);
    expect(takeKey(place)).toBeNull();
    expect(place.replaced).toEqual([]);
  });

  it('never changes the URL to another site: a target with two slashes stays in the hash', () => {
    const place = windowAt('#key=abc&to=//elsewhere.example ');
    expect(takeKey(place)).toBe('abc');
    expect(place.replaced).toEqual(['/#//elsewhere.example ']);
  });
});
