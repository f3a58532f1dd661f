import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mayBeOf, toolName } from '../../src/gateway/tool-names.ts';

const ALLOWED = /^[a-zA-Z0-9_-]{1,64}$/;

/** Ids as manifests have them, and tools as manifests and servers name them; short alphabets, so that many come close. */
const part = fc.string({ unit: fc.constantFrom('a', 'b', '-', 'h'), minLength: 1, maxLength: 30 });
const appId = fc.array(part, { minLength: 2, maxLength: 5 }).map((parts) => parts.join('.'));
const tool = fc.string({
  unit: fc.constantFrom('a', 'b', '_', '-', '.', '/', 'H'),
  minLength: 1,
  maxLength: 128,
});

it('gives names that every agent takes, and no two tools the same', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(appId, tool), { maxLength: 30 }), (pairs) => {
      const byName = new Map<string, string>();
      for (const [id, name] of pairs) {
        const given = toolName(id, name);
        expect(given).toMatch(ALLOWED);
        expect(given).toContain('__');
        expect(mayBeOf(given, id)).toBe(true);
        expect(byName.get(given) ?? `${id}\0${name}`).toBe(`${id}\0${name}`);
        byName.set(given, `${id}\0${name}`);
      }
    }),
  );
});

it('keeps apart ids that were made to meet', () => {
  const long = `com.${'a'.repeat(60)}.notes`;
  const marked = toolName(long, 'add');
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
    [long, 'add'],
    [`${long}2`, 'add'],
    // An id that spells out the marked name of another, as far as ids can.
    [marked.split('__')[0]?.toLowerCase().replaceAll('_', '.') ?? '', 'add'],
  ] as const;
  const names = near.map(([id, one]) => toolName(id, one));
  expect(new Set(names).size).toBe(near.length);
  for (const name of names) expect(name).toMatch(ALLOWED);
});

it('is the same for an app whatever else is there', () => {
  expect(toolName('com.example.notes', 'add_note')).toBe('com_example_notes__add_note');
  expect(toolName('local.mcp-0123456789abcdef0123456789abcdef', 'repos/list')).toBe(
    toolName('local.mcp-0123456789abcdef0123456789abcdef', 'repos/list'),
  );
});
