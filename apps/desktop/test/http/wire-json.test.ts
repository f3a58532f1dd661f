import { expect, it } from 'vitest';
import { wireJson } from '../../src/http/wire-json.ts';

it('sends the entries of maps, whatever they are called', () => {
  const tools = new Map([['add_note', { confirms: true }]]);
  expect(JSON.parse(wireJson({ sheet: { footprint: { tools, grants: ['storage'] } } }))).toEqual({
    sheet: { footprint: { tools: { add_note: { confirms: true } }, grants: ['storage'] } },
  });
  expect(wireJson(new Map([['__proto__', 1]]))).toBe('{"__proto__":1}');
});
