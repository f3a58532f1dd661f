import { describe, expect, it } from 'vitest';
import { parseManifest } from '../../src/validate.ts';
import { bytesOf, findings } from '../support.ts';

const AT = '/contributes/tools/0/files';
const found = (files: unknown, grants: unknown = ['files:receive', 'host:media']) =>
  findings({ contributes: { tools: [{ id: 'a', name: 'A', description: 'A.', files }] }, grants });

describe('files', () => {
  it('is an object, and requires its grant when it names an argument', () => {
    expect(found([])).toEqual([`tools.files ${AT}`]);
    expect(found({}, [])).toEqual([]);
    expect(found({ a: {} }, [])).toEqual([`tools.files.grant ${AT}`]);
    expect(found({ a: {} }, 'x')).toEqual(['grants.format /grants']);
    expect(found({ a: {} }, ['files:return'])).toEqual([`tools.files.grant ${AT}`]);
    expect(found({ a: {} }, ['files:recieve'])).toEqual(['grants.unknown /grants/0']);
  });

  it.each(['a', 'a_1', '1', '_', 'constructor'])('accepts the argument %s', (param) =>
    expect(found({ [param]: {} })).toEqual([]),
  );
  it.each(['A', 'a-b', 'a.b', '', 'ä'])('refuses the argument %j', (param) =>
    expect(found({ [param]: {} })).toEqual([`tools.files.param ${AT}/${param}`]),
  );

  it('refuses __proto__, which not every implementation can store as a key', () => {
    const parsed = parseManifest(bytesOf('{"__proto__":{}}'));
    expect(parsed.ok && found(parsed.value)).toEqual([`tools.files.param ${AT}/__proto__`]);
  });

  it('holds objects', () => {
    expect(found({ a: true })).toEqual([`tools.files.rule ${AT}/a`]);
    expect(found({ a: { multiple: 1 } })).toEqual([`tools.files.rule ${AT}/a/multiple`]);
  });
});

describe('a file rule', () => {
  it.each(['image/png', 'image/*', 'application/vnd.oasis.opendocument.text', 'IMAGE/PNG', 'image/svg+xml'])(
    'accepts %s',
    (type) => expect(found({ a: { accept: [type] } })).toEqual([]),
  );
  it.each([
    '',
    '*',
    '*/*',
    '*/png',
    'png',
    '.png',
    'image/',
    '/png',
    'image/png; q=1',
    'image/p*',
    'a/b/c',
    7,
  ])('refuses %j', (type) =>
    expect(found({ a: { accept: [type] } })).toEqual([`tools.files.accept ${AT}/a/accept/0`]),
  );
  it('has its types in a list', () =>
    expect(found({ a: { accept: 'image/png' } })).toEqual([`tools.files.accept ${AT}/a/accept`]));

  it.each([1, 20_971_520])('accepts %d bytes', (maxBytes) => expect(found({ a: { maxBytes } })).toEqual([]));
  it.each([0, 20_971_521, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '1', null])(
    'refuses %j bytes',
    (maxBytes) => expect(found({ a: { maxBytes } })).toEqual([`tools.files.maxBytes ${AT}/a/maxBytes`]),
  );

  it('requires the grant host:media for prepare', () =>
    expect(found({ a: { prepare: { op: 'trim', end: 1 } } }, ['files:receive'])).toEqual([
      `tools.files.prepare.grant ${AT}/a/prepare`,
    ]));
});
