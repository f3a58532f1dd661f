import { describe, expect, it } from 'vitest';
import { hashOf, parseRoute } from '../../page/src/routes.ts';

describe('routes', () => {
  it('are parsed into the parts that they were built from, with any characters', () => {
    for (const rest of [[], ['com.example.notes'], ['a/b?c#d%', 'täb']]) {
      expect(parseRoute(hashOf('apps', ...rest))).toEqual({ page: 'apps', rest });
    }
  });

  it('default to the store when the page is unknown or the hash is invalid', () => {
    for (const hash of ['#/nowhere', '#/__proto__', '#/apps/%E0%A4%A', '#key=abc', '#/constructor/x']) {
      expect(parseRoute(hash)).toEqual({ page: 'store', rest: [] });
    }
  });

  it('map the former pages of models and projects to the settings', () => {
    for (const section of ['models', 'projects'])
      expect(parseRoute(`#/${section}`)).toEqual({ page: 'settings', rest: [section] });
  });

  it('default to the chat when the hash is empty', () => {
    for (const hash of ['', '#', '#/']) expect(parseRoute(hash)).toEqual({ page: 'chat', rest: [] });
  });
});
