import { describe, expect, it } from 'vitest';
import { findings, issuesOf, letters } from '../support.ts';

describe('id', () => {
  it.each(['a.b', 'com.example.notes', '1.2', 'a-b.-', `a.${letters(62)}`])('accepts %s', (id) =>
    expect(findings({ id })).toEqual([]),
  );

  it.each(['a', 'A.b', 'a.', '.a', 'a..b', 'a_b.c', 'a.b\n', 'a .b', 'ä.b', 'a.b/c', `a.${letters(63)}`])(
    'refuses the malformed id %j',
    (id) => expect(findings({ id })).toEqual(['id.format /id']),
  );

  it.each([undefined, null, '', ' ', 7, ['a.b']])('reports %j as a missing id', (id) =>
    expect(findings({ id })).toEqual(['id.missing /id']),
  );

  it.each(['browser-use', 'media', 'chat-artifacts', 'computer-use'])(
    'reserves %s for the built-in app',
    (id) => {
      expect(findings({ id })).toEqual(['id.reserved /id']);
      expect(findings({ id }, 'dev')).toEqual(['id.reserved /id']);
    },
  );

  it.each(['gh-a.b', 'npm-a.b', 'local.a'])('refuses the prefix of %s in the store', (id) => {
    expect(findings({ id })).toEqual(['id.reserved /id']);
    expect(findings({ id }, 'dev')).toEqual([]);
  });

  it.each(['ghost.a', 'npm.a', 'localhost.a', 'a.local.b', 'media.example'])(
    'accepts %s, which only resembles a reserved id',
    (id) => expect(findings({ id })).toEqual([]),
  );
});

describe('name', () => {
  it('has 1 to 40 characters', () => {
    expect(findings({ name: letters(40) })).toEqual([]);
    expect(findings({ name: letters(41) })).toEqual(['name.missing /name']);
    expect(findings({ name: '\u3164' })).toEqual(['name.missing /name', 'bundle.manifest.json /name']);
    expect(findings({ name: null })).toEqual(['name.missing /name']);
  });

  it.each([
    ...[
      'svc',
      'Notes for SVC',
      'svc: notes',
      'ＳＶＣ notes',
      'ѕvс',
      'my_svc',
      'S v c',
      'S.V.C',
      '🆂🆅🅲 Tools',
      'ⓈⓋⒸ',
    ],
  ])('refuses %j', (name) => expect(findings({ name })).toEqual(['name.reserved /name']));

  it.each(['s\u200bvc', '\u2067cvs'])('refuses %j, and also reports its hidden character', (name) =>
    expect(findings({ name })).toEqual(['name.reserved /name', 'bundle.manifest.json /name']),
  );

  it.each(['svcs', 'Musvc', 'Services', 'Notes', 'Mass VC tools', 'Das VCard', "Founder's VC guide"])(
    'accepts %j',
    (name) => expect(findings({ name })).toEqual([]),
  );

  it('also refuses the configured names', () => {
    const options = { mode: 'store', reservedNames: ['Acme Corp', ''] } as const;
    expect(findings({ name: 'ACME corp notes' }, options)).toEqual(['name.reserved /name']);
    expect(findings({ name: 'by svc' }, options)).toEqual(['name.reserved /name']);
    expect(findings({ name: 'Acme notes' }, options)).toEqual([]);
  });

  it('escapes a hostile name in its message', () => {
    const [issue] = issuesOf({ name: 'svc \u202e\u0000' });
    expect(issue?.message).toContain('"svc \\u202e\\u0000"');
  });
});

describe('version', () => {
  it.each(['0.0.0', '1.2.3', '1.0.0-beta.1', '1.0.0+build.5', '1.0.0-rc.1+5', '9007199254740991.0.0'])(
    'accepts %s',
    (version) => expect(findings({ version })).toEqual([]),
  );

  it.each([
    ...[
      'v1.0.0',
      '=1.0.0',
      ' 1.0.0',
      '1.0.0 ',
      '1.0',
      '1',
      '01.0.0',
      '1.0.0-01',
      '1.0.0+',
      '1.0.0-',
      '1.0.0-ä',
    ],
    ...['1.0.0\n', 'latest', '', `1.0.0-${letters(300)}`, '99999999999999999.0.0', 1, undefined, null],
  ])('refuses %j', (version) => expect(findings({ version })).toEqual(['version.format /version']));
});

it('publisher has 40 characters at most, and is optional in dev mode', () => {
  expect(findings({ publisher: letters(40) })).toEqual([]);
  expect(findings({ publisher: letters(41) })).toEqual(['publisher.missing /publisher']);
  expect(findings({ publisher: undefined }, 'dev')).toEqual([]);
  expect(findings({ publisher: '' }, 'dev')).toEqual(['publisher.missing /publisher']);
});

it('homepage and support must be valid links', () => {
  expect(findings({ homepage: 'https://example.com/#a', support: 'https://example.com/help' })).toEqual([]);
  expect(findings({ homepage: 'mailto:a@example.com' })).toEqual(['homepage.url /homepage']);
  expect(findings({ homepage: '' })).toEqual(['homepage.url /homepage']);
  expect(findings({ support: 'http://example.com' })).toEqual(['support.url /support']);
  expect(findings({ support: 'javascript:alert(1)' })).toEqual(['support.url /support']);
});
