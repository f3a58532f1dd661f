import { describe, expect, it } from 'vitest';
import { hashOf, parseRoute } from '../../page/src/routes.ts';

describe('routes', () => {
  it('lead to what they were made of, whatever it is called', () => {
    for (const rest of [[], ['com.example.notes'], ['a/b?c#d%', 'täb']]) {
      expect(parseRoute(hashOf('apps', ...rest))).toEqual({ page: 'apps', rest });
    }
  });

  it('are the store when they name no page, or cannot be read', () => {
    for (const hash of ['#/nowhere', '#/__proto__', '#/apps/%E0%A4%A', '#key=abc', '#/constructor/x']) {
      expect(parseRoute(hash)).toEqual({ page: 'store', rest: [] });
    }
  });

  it('lead to what moved into the settings', () => {
    for (const section of ['models', 'projects'])
      expect(parseRoute(`#/${section}`)).toEqual({ page: 'settings', rest: [section] });
  });

  it('are the chat where nothing is named', () => {
    for (const hash of ['', '#', '#/']) expect(parseRoute(hash)).toEqual({ page: 'chat', rest: [] });
  });
});
