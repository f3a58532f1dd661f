import { describe, expect, it } from 'vitest';
import { validateManifest } from '../../src/validate.ts';
import { findings, letters, linesOf } from '../support.ts';

it.each([null, undefined, 7, 'x', true, [], [{}]])(
  '%j is not a manifest, and has no other finding',
  (value) => {
    expect(linesOf(validateManifest(value, { mode: 'store' }))).toEqual(['manifest.not-object ']);
  },
);

describe('pluginApiVersion', () => {
  it('is 3 in store mode; dev mode also accepts 1 and 2', () => {
    expect(findings({ pluginApiVersion: 3 })).toEqual([]);
    for (const pluginApiVersion of [1, 2]) {
      expect(findings({ pluginApiVersion })).toEqual(['manifest.api-version-store /pluginApiVersion']);
      expect(findings({ pluginApiVersion }, 'dev')).toEqual([]);
    }
  });

  it.each([0, 4, 3.5, '3', null, undefined, [3]])('may not be %j', (pluginApiVersion) => {
    expect(findings({ pluginApiVersion })).toEqual(['manifest.api-version /pluginApiVersion']);
    expect(findings({ pluginApiVersion }, 'dev')).toEqual(['manifest.api-version /pluginApiVersion']);
  });
});

it('description has 1 to 400 characters', () => {
  expect(findings({ description: letters(400) })).toEqual([]);
  expect(findings({ description: letters(401) })).toEqual(['description.missing /description']);
  expect(findings({ description: '\n' })).toEqual(['description.missing /description']);
});

describe('permissions', () => {
  it('are sentences of 1 to 200 characters', () => {
    expect(findings({ permissions: [letters(200)] })).toEqual([]);
    expect(findings({ permissions: ['a', letters(201), '', 7] })).toEqual([
      'permissions.format /permissions/1',
      'permissions.format /permissions/2',
      'permissions.format /permissions/3',
    ]);
    expect(findings({ permissions: undefined, grants: ['files:receive'] })).toEqual([
      'permissions.format /permissions',
    ]);
  });

  it('explain every grant but storage', () => {
    expect(findings({ permissions: [] })).toEqual([]);
    expect(findings({ permissions: [], grants: [] })).toEqual([]);
    expect(findings({ permissions: [], grants: ['storage'] })).toEqual([]);
    expect(findings({ permissions: [], grants: ['storage', 'host:media'] })).toEqual([
      'permissions.empty /permissions',
    ]);
  });
});

it('contributes must be an object', () => {
  for (const contributes of [undefined, null, [], 'x']) {
    expect(findings({ contributes })).toEqual(['contributes.missing /contributes']);
  }
});
