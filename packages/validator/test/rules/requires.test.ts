import { describe, expect, it } from 'vitest';
import { findings, letters } from '../support.ts';

const reason = 'Draws.';
const app = { id: 'com.example.charts', reason };
const connector = { url: 'https://charts.example.com/mcp', reason };
const found = (requires: unknown, mode: 'store' | 'dev' = 'store') => findings({ requires }, mode);

describe('requires', () => {
  it('is an object of lists', () => {
    expect(found([])).toEqual(['requires.format /requires']);
    expect(found({ apps: {}, connectors: null, optional: 'x', providers: 7 })).toEqual([
      'requires.format /requires/apps',
      'requires.format /requires/connectors',
      'requires.format /requires/optional',
      'requires.format /requires/providers',
    ]);
    expect(found({ apps: [null] })).toEqual(['requires.item /requires/apps/0']);
  });

  it('accepts the six known providers', () => {
    expect(
      found({ providers: ['svc-chat', 'claude-code', 'codex', 'gemini-cli', 'opencode', 'cursor'] }),
    ).toEqual([]);
    expect(found({ providers: ['codex', 'other', 7] })).toEqual([
      'requires.format /requires/providers/1',
      'requires.format /requires/providers/2',
    ]);
  });

  it('has 10 entries in a list at most, and does not check further entries', () => {
    const apps = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ id: `a.b${index}`, reason }));
    expect(found({ apps: apps(10) })).toEqual([]);
    expect(found({ apps: [...apps(10), null] })).toEqual(['requires.count /requires/apps']);
  });

  it('may not name an entry twice in a list', () => {
    expect(found({ apps: [app, app] })).toEqual(['requires.duplicate /requires/apps/1']);
    expect(found({ connectors: [connector, connector] })).toEqual([
      'requires.duplicate /requires/connectors/1',
    ]);
    expect(found({ optional: [app, connector, app] })).toEqual(['requires.duplicate /requires/optional/2']);
  });

  it('requires a reason of 1 to 200 characters', () => {
    expect(found({ apps: [{ ...app, reason: letters(200) }] })).toEqual([]);
    for (const wrong of [undefined, '', letters(201), 7]) {
      expect(found({ connectors: [{ ...connector, reason: wrong }] })).toEqual([
        'requires.reason /requires/connectors/0/reason',
      ]);
    }
  });
});

describe('an app', () => {
  it.each(['media', 'browser-use', 'com.example.charts'])('may be %s', (id) =>
    expect(found({ apps: [{ id, reason }] })).toEqual([]),
  );
  it.each(['charts', 'gh-a.b', 'npm-a.b', 'local.a', 'A.b', '', 7, undefined])(
    'may not be %j, in either mode',
    (id) => {
      expect(found({ apps: [{ id, reason }] })).toEqual(['requires.id /requires/apps/0/id']);
      expect(found({ optional: [{ id: id ?? '', reason }] }, 'dev')).toEqual([
        'requires.id /requires/optional/0/id',
      ]);
    },
  );

  it('may not be the app itself', () =>
    expect(found({ optional: [{ id: 'com.example.notes', reason }] })).toEqual([
      'requires.self /requires/optional/0/id',
    ]));

  it('may not be a connector', () =>
    expect(found({ apps: [{ url: connector.url, reason }] })).toEqual([
      'requires.apps.url /requires/apps/0/url',
    ]));

  it.each(['a/b', 'a-b/c.d_e', 'a/b@v1.0', 'a/b@feature/x'])(
    'may come from %s only in dev mode',
    (github) => {
      expect(found({ apps: [{ github, reason }] }, 'dev')).toEqual([]);
      expect(found({ apps: [{ github, reason }] })).toEqual([
        'requires.github.store /requires/apps/0/github',
      ]);
    },
  );
  it.each(['a', 'a/b/c', '/b', 'a/', 'a/..', '-a/b', 'a/b@', 'https://github.com/a/b', 7, null])(
    'may not come from %j',
    (github) =>
      expect(found({ apps: [{ github, reason }] }, 'dev')).toEqual([
        'requires.github /requires/apps/0/github',
      ]),
  );
});

describe('a connector', () => {
  it.each(['http://a.example', 'https://u@a.example', 'a.example', '', undefined])(
    'may not be at %j',
    (url) =>
      expect(found({ connectors: [{ url, reason }] })).toEqual(['requires.url /requires/connectors/0/url']),
  );
  it('may be on localhost in dev mode', () => {
    const requires = { connectors: [{ url: 'http://localhost:1', reason }] };
    expect(found(requires)).toEqual(['requires.url /requires/connectors/0/url']);
    expect(found(requires, 'dev')).toEqual(['requires.url.localhost /requires/connectors/0/url']);
  });
  it.each([0, 'true', null])('may not have %j as required', (required) =>
    expect(found({ connectors: [{ ...connector, required }] })).toEqual([
      'requires.required /requires/connectors/0/required',
    ]),
  );
});

it('an optional entry is either an app or a connector', () => {
  expect(found({ optional: [app, connector] })).toEqual([]);
  expect(found({ optional: [{ reason }, { ...app, ...connector }] })).toEqual([
    'requires.optional.kind /requires/optional/0',
    'requires.optional.kind /requires/optional/1',
  ]);
});
