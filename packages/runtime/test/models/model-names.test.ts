import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as names from '../../src/models/model-names.ts';

/** An app of the store. */
const store = (appId: string): names.NamedApp => ({
  appId,
  manifest: { name: 'Any' },
  source: { kind: 'developer', folder: '' },
});
const connector = (name: string, appId = 'local.mcp-1'): names.NamedApp => ({
  appId,
  manifest: { name },
  source: { kind: 'connector', url: 'https://mcp.example.com/' },
});
const modelName = (appId: string, tool: string): string => names.modelName(store(appId), tool);
const mayBeModelNameOf = (name: string, appId: string): boolean => names.mayBeModelNameOf(name, store(appId));

const ALLOWED = /^[A-Za-z0-9_-]{1,64}$/;

/** Ids and tool names from small alphabets, so that many of them are similar. */
const part = fc.string({ unit: fc.constantFrom('a', 'b', '-', 'h'), minLength: 1, maxLength: 30 });
const appId = fc.array(part, { minLength: 2, maxLength: 5 }).map((parts) => parts.join('.'));
const tool = fc.string({
  unit: fc.constantFrom('a', 'b', '_', '-', '.', '/', 'H'),
  minLength: 1,
  maxLength: 128,
});

it('is readable for short ids, and always the same for a tool', () => {
  expect(modelName('com.example.notes', 'add_note')).toBe('com_example_notes__add_note');
  const long = 'local.mcp-0123456789abcdef0123456789abcdef';
  expect(modelName(long, 'repos/list')).toBe(modelName(long, 'repos/list'));
});

it('has only characters that every provider accepts, for any ids', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 90 }), fc.string({ maxLength: 90 }), (app, name) => {
      expect(modelName(app, name)).toMatch(ALLOWED);
    }),
  );
});

it('identifies the app of a tool, and is different for each tool', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(appId, tool), { maxLength: 30 }), (pairs) => {
      const byName = new Map<string, string>();
      for (const [id, name] of pairs) {
        const given = modelName(id, name);
        expect(given).toMatch(ALLOWED);
        expect(given).toContain('__');
        expect(mayBeModelNameOf(given, id)).toBe(true);
        expect(byName.get(given) ?? `${id}\0${name}`).toBe(`${id}\0${name}`);
        byName.set(given, `${id}\0${name}`);
      }
    }),
  );
});

it('is different for ids that were chosen to collide', () => {
  const long = `com.${'a'.repeat(60)}.notes`;
  const hashed = modelName(long, 'add');
  const near = [
    ['com.example.a', 'b__c'],
    ['com.example', 'a__b__c'],
    ['com.example.a', '_b'],
    ['com.example-a', 'b'],
    ['com.example.a-', 'b'],
    ['com.example.a', 'b'],
    ['com.example.a', 'B'],
    ['com.example.a', 'b.c'],
    ['com.example.a', 'b_c'],
    ['com.example.a', 'b/c'],
    ['com.example.a', 'é'],
    ['com.example.a', 'è'],
    ['com.example.a__b', 'c'],
    ['com.a', 'x'.repeat(60)],
    ['com.a', `${'x'.repeat(59)}y`],
    [long, 'add'],
    [`${long}2`, 'add'],
    // An id that imitates the hashed name of another id, as far as the characters of ids allow.
    [hashed.split('__')[0]?.toLowerCase().replaceAll('_', '.') ?? '', 'add'],
  ] as const;
  const names = near.map(([id, one]) => modelName(id, one));
  expect(new Set(names).size).toBe(near.length);
  for (const name of names) expect(name).toMatch(ALLOWED);
});

it('names tools of connectors by the name of the connector, which never imitates an app', () => {
  expect(names.modelName(connector('mcp.example.com'), 'search')).toBe('mcp-example-com__search');
  expect(names.modelName(connector('Café Notes_2'), 'search')).toBe('cafe-notes-2__search');
  expect(names.modelName(connector('com.example.notes'), 'add')).not.toBe(
    modelName('com.example.notes', 'add'),
  );
  expect(names.modelName(connector('笔记', 'local.mcp-7'), 'add')).toBe('local-mcp-7__add');
  const cut = names.modelName(connector('a'.repeat(60)), 'search_all');
  expect(cut).toMatch(/^a{24}_H[a-z2-7]{14}__search_all$/);
  expect(names.modelName(connector('a'.repeat(60), 'local.mcp-2'), 'search_all')).not.toBe(cut);
  expect(names.mayBeModelNameOf(cut, connector('a'.repeat(60)))).toBe(true);
});
