import { describe, expect, it } from 'vitest';
import { takeInstallId } from '../../../src/extensions/ratings/install-id.ts';

const ID = 'a1B2-c3._~d4E5f6';

/** A fake window, and the URLs passed to `replaceState`. */
function windowAt(hash: string) {
  const seen: (string | URL | null | undefined)[] = [];
  const history = {
    state: null,
    replaceState: (_: unknown, __: string, url?: string | URL | null) => {
      seen.push(url);
    },
  };
  const location = { pathname: '/account/apps/com.acme.notes/review', search: '?a=b', hash };
  return { place: { location, history }, seen };
}

describe('the installation that a page is opened with', () => {
  it('is read from the fragment, and removed from the URL', () => {
    const { place, seen } = windowAt(`#install=${ID}`);
    expect(takeInstallId(place)).toBe(ID);
    expect(seen).toEqual(['/account/apps/com.acme.notes/review?a=b']);
  });

  it.each([
    ['too short', 'a'.repeat(15)],
    ['too long', 'a'.repeat(129)],
    ['a header of its own', `${ID}%0d%0aX-Evil: 1`],
    ['markup', `"><img src=x onerror=alert(1)>`],
    ['another path', `${ID}/../../x`],
    ['nothing', ''],
  ])('is null when it is %s, and is still removed from the URL', (_, text) => {
    const { place, seen } = windowAt(`#install=${text}`);
    expect(takeInstallId(place)).toBe(null);
    expect(seen).toHaveLength(1);
  });

  it('keeps other fragments', () => {
    for (const hash of ['', '#', '#content', `#x=${ID}`]) {
      const { place, seen } = windowAt(hash);
      expect(takeInstallId(place)).toBe(null);
      expect(seen).toEqual([]);
    }
  });
});
