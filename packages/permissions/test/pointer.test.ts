import { fullManifest } from '@svc/testkit';
import { expect, it } from 'vitest';
import { ancestorsOf, changesOf, fieldOf, footprintOf, pointerOf } from '../src/index.ts';

it('fieldOf finds the field and the keys for every path of a change', () => {
  const changes = changesOf(null, footprintOf(fullManifest()));
  for (const { path } of changes) expect(fieldOf(path)).not.toBeNull();
  expect(fieldOf('/accounts/a~1b/scopes/c~0d')).toEqual({
    field: '/accounts/*/scopes/*',
    keys: ['a/b', 'c~d'],
  });
  expect([fieldOf('/nothing'), fieldOf(''), fieldOf('/description')]).toEqual([null, null, null]);
});

it('pointerOf writes a pointer, and ancestorsOf lists its ancestors', () => {
  expect(pointerOf('/accounts/*/scopes/*', ['a/b', 'c~d'])).toBe('/accounts/a~1b/scopes/c~0d');
  expect(pointerOf('/remote/domains/*', ['*.example.com'])).toBe('/remote/domains/*.example.com');
  expect(ancestorsOf('/a/b/c')).toEqual(['', '/a', '/a/b']);
});
