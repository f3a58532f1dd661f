import { describe, expect, it } from 'vitest';
import { compareGiven, type GivenFields } from '../src/compare-given.ts';

const of = (before: GivenFields | undefined, after: GivenFields | undefined) =>
  compareGiven(before, after).map(({ path, widens }) => [path, widens]);
const ui = (fields: object): GivenFields => ({ _meta: { ui: fields } });
const ICON = { src: 'https://example.com/a.png' };

describe('what is given beside a tool', () => {
  it.each<[string, GivenFields | undefined, GivenFields | undefined, [string, boolean][]]>([
    ['nothing', undefined, undefined, []],
    ['an empty one', undefined, { _meta: {} }, []],
    ['pages alone', {}, ui({ visibility: ['app'] }), [['/_meta/ui/visibility', false]]],
    ['all', ui({ visibility: ['app'] }), undefined, [['/_meta/ui/visibility', true]]],
    ['all in another order', {}, ui({ visibility: ['app', 'model'] }), [['/_meta/ui/visibility', false]]],
    ['no caller', ui({ visibility: ['app'] }), ui({ visibility: [] }), [['/_meta/ui/visibility', false]]],
    ['a page', {}, ui({ resourceUri: 'ui://a' }), [['/_meta/ui/resourceUri', true]]],
    [
      'its page in the older form',
      ui({ resourceUri: 'ui://a' }),
      { _meta: { 'ui/resourceUri': 'ui://a' } },
      [],
    ],
    ['no page', ui({ resourceUri: 'ui://a' }), {}, [['/_meta/ui/resourceUri', false]]],
    ['another field of its page', ui({ border: true }), {}, [['/_meta/ui', true]]],
    ['a field of a vendor', {}, { _meta: { 'a/b': 1 } }, [['/_meta/a~1b', true]]],
    ['no field of a vendor', { _meta: { 'a/b': 1 } }, {}, [['/_meta/a~1b', true]]],
    ['an icon', {}, { icons: [ICON] }, [['/icons', true]]],
    ['an icon less', { icons: [ICON, { src: 'b' }] }, { icons: [ICON] }, [['/icons', false]]],
    ['a title', { title: 'A' }, { title: 'B' }, [['/title', true]]],
    ['no title', { title: 'A' }, {}, [['/title', false]]],
    ['an audience', {}, { annotations: { audience: ['user'] } }, [['/annotations/audience', true]]],
    ['a time', { annotations: { lastModified: 'a' } }, { annotations: { lastModified: 'b' } }, []],
  ])('%s', (_what, before, after, changes) => {
    expect(of(before, after)).toEqual(changes);
  });
});
