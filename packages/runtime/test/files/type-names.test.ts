import { expect, it } from 'vitest';
import { endingsOf, hasEnding, typesOfName, usualName } from '../../src/files/type-names.ts';

it.each([
  ['Text/YAML; charset=utf-8', 'application/yaml'],
  ['audio/x-wav', 'audio/wav'],
  ['application/x-unheard-of', 'application/x-unheard-of'],
  ['constructor', 'constructor'],
])('normalizes %s to %s', (type, usual) => {
  expect(usualName(type)).toBe(usual);
});

it('maps extensions to types, the usual type first, and types to extensions', () => {
  expect(typesOfName('a.xml')[0]).toBe('application/xml');
  expect(typesOfName('a.PY')).toEqual(['text/x-python']);
  expect(typesOfName('a.ts')[0]).toBe('text/x-typescript');
  for (const name of ['a', 'a.', '.bashrc.unheardof', 'a.constructor', 'a.__proto__']) {
    expect(typesOfName(name)).toEqual([]);
  }
  expect(endingsOf('text/yaml')).toEqual(expect.arrayContaining(['yaml', 'yml']));
  expect([hasEnding('text/csv'), hasEnding('application/vnd.acme.thing+json')]).toEqual([true, false]);
});
