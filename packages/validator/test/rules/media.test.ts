import { describe, expect, it } from 'vitest';
import { findings } from '../support.ts';

const AT = '/contributes/tools/0/files/a/prepare';
const found = (prepare: unknown) =>
  findings({
    contributes: { tools: [{ id: 'a', name: 'A', description: 'A.', files: { a: { prepare } } }] },
    grants: ['files:receive', 'host:media'],
  });

describe('a media request', () => {
  it.each([null, [], 'resize', {}, { width: 1 }])('must have an op, and %j has none', (request) =>
    expect(found(request)).toEqual([`media.format ${AT}`]),
  );

  it.each(['rotate', '', 7, null, 'constructor'])('refuses the op %j', (op) =>
    expect(found({ op })).toEqual([`media.op ${AT}/op`]),
  );

  it.each([
    { op: 'resize', width: 1 },
    { op: 'resize', height: 1 },
    { op: 'crop', width: 1, height: 1 },
    { op: 'crop', aspect: '1:1' },
    { op: 'convert', format: 'ogg' },
    { op: 'compress', quality: 1 },
    { op: 'compress', targetKb: 10 },
    { op: 'trim', start: 0 },
    { op: 'trim', start: 0, end: 0.1 },
  ])('may be %j', (request) => expect(found(request)).toEqual([]));

  it.each([
    [{ op: 'resize' }, 'media.resize'],
    [{ op: 'crop' }, 'media.crop'],
    [{ op: 'crop', height: 1 }, 'media.crop'],
    [{ op: 'crop', x: 1, y: 1 }, 'media.crop'],
    [{ op: 'convert', quality: 5 }, 'media.convert'],
    [{ op: 'compress', format: 'png' }, 'media.compress'],
    [{ op: 'trim' }, 'media.trim'],
  ])('is incomplete: %j, by %s', (request, code) => expect(found(request)).toEqual([`${code} ${AT}`]));

  it('must end after it starts', () => {
    expect(found({ op: 'trim', start: 5, end: 5 })).toEqual([`media.trim.range ${AT}/end`]);
    expect(found({ op: 'trim', end: 0 })).toEqual([`media.trim.range ${AT}/end`]);
    expect(found({ op: 'trim', start: 900, end: 5 })).toEqual([`media.time ${AT}/start`]);
  });
});
