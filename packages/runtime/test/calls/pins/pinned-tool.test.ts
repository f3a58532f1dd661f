import { describe, expect, it } from 'vitest';
import { pinnedTool } from '../../../src/calls/pins/pinned-tool.ts';

const tool = (change: object) => ({ name: 'pin', inputSchema: { type: 'object' as const }, ...change });

describe('what is kept of a tool', () => {
  it('is clean, and has the words of a server only where models read them', () => {
    const given = tool({
      title: 'Pin\u200b',
      description: 'Pins\u202e.',
      annotations: { readOnlyHint: true, other: 'x' },
      inputSchema: { type: 'object', properties: { path: { description: '\u{e0041}Where' } } },
      _meta: { secret: 'x' },
    });
    const kept = {
      name: 'pin',
      inputSchema: { type: 'object', properties: { path: { description: 'Where' } } },
      annotations: { readOnlyHint: true },
    };
    expect(pinnedTool(given, false)).toEqual(kept);
    expect(pinnedTool(given, true)).toEqual({
      ...{ ...kept, title: 'Pin', description: 'Pins.' },
      // For clients that show panels of connectors.
      given: { _meta: { secret: 'x' } },
    });
  });

  it('is nothing that the server does not say', () => {
    expect(pinnedTool(tool({}), true)).toStrictEqual(tool({}));
  });

  it('is bounded in length and depth', () => {
    const deep = JSON.parse(`${'{"items":'.repeat(100)}{}${'}'.repeat(100)}`);
    expect(pinnedTool(tool({ inputSchema: { type: 'object', ...deep } }), true).inputSchema).toEqual({
      type: 'object',
    });
    const words = pinnedTool(tool({ description: 'x'.repeat(10_000) }), true).description ?? '';
    expect(words).toHaveLength(4_096);
    const properties = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`p${at}`, {}]));
    expect(pinnedTool(tool({ inputSchema: { type: 'object', properties } }), true).inputSchema).toEqual({
      type: 'object',
    });
  });

  it.each([
    [undefined, {}],
    ['app', {}],
    [['app', 'other'], { _meta: { ui: { visibility: ['app'] } } }],
    [[], { _meta: { ui: { visibility: [] } } }],
  ])('is to whom it is shown, also where the rest is too large: %j', (visibility, given) => {
    const ui = { resourceUri: 'ui://pin', visibility };
    const large = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`p${at}`, 'x'.repeat(4_000)]));
    expect(pinnedTool(tool({ _meta: { ui, large } }), true).given).toEqual(given);
    expect(pinnedTool(tool({ _meta: { ui } }), true).given).toEqual({ _meta: { ui } });
    expect(pinnedTool(tool({ _meta: { large } }), true).given).toEqual({});
  });
});
