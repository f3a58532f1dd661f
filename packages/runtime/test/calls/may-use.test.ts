import { describe, expect, it } from 'vitest';
import {
  mayUseAll,
  refusalOfApp,
  refusalsFor,
  type ToolCaller,
  usableTools,
} from '../../src/calls/may-use.ts';
import { installed } from '../support/app.ts';

const APP = installed({ requires: { providers: ['codex'] } } as never);
const tool = (visibility?: string[]) => ({
  id: 'pin',
  ...(visibility && { given: { _meta: { ui: { visibility } } } }),
});
const codeFor = (caller: ToolCaller, visibility?: string[]) =>
  refusalsFor(caller, APP)(tool(visibility))?.code ?? null;

describe('who may use a tool', () => {
  it.each<[string, ToolCaller, (string | null)[]]>([
    ['the user', { as: 'user' }, [null, null, null, null]],
    ['a model', { as: 'model' }, [null, null, 'unknown-tool', 'unknown-tool']],
    ['a page', { as: 'page' }, [null, 'unknown-tool', null, 'unknown-tool']],
    ['an agent', { as: 'model', provider: 'codex' }, [null, null, 'unknown-tool', 'unknown-tool']],
    ['another agent', { as: 'model', provider: 'cursor' }, Array(4).fill('unknown-tool')],
    ['an agent without a name', { as: 'page', provider: null }, Array(4).fill('unknown-tool')],
    ['a conversation without the app', { as: 'page', appsOff: [APP.appId] }, Array(4).fill('switched-off')],
    [
      'a conversation without another app',
      { as: 'user', appsOff: ['com.example.other'] },
      Array(4).fill(null),
    ],
    [
      'an agent without the tool',
      { as: 'model', switchedOff: () => (appId, id) => appId === APP.appId && id === 'pin' },
      ['switched-off', 'switched-off', 'unknown-tool', 'unknown-tool'],
    ],
    ['a bundle with the app', { as: 'user', only: () => new Map([[APP.appId, null]]) }, Array(4).fill(null)],
    [
      'a bundle with the tool',
      { as: 'model', only: () => new Map([[APP.appId, ['pin']]]) },
      [null, null, 'unknown-tool', 'unknown-tool'],
    ],
    [
      'a bundle with another tool',
      { as: 'user', only: () => new Map([[APP.appId, ['unpin']]]) },
      Array(4).fill('unknown-tool'),
    ],
    [
      'a bundle with another app',
      { as: 'user', only: () => new Map([['b', null]]) },
      Array(4).fill('unknown-tool'),
    ],
  ])('%s', (_who, caller, codes) => {
    expect([undefined, ['model'], ['app'], []].map((shown) => codeFor(caller, shown))).toEqual(codes);
  });

  it('is any agent, for an app that names no providers', () => {
    for (const requires of [undefined, {}])
      for (const provider of ['cursor', null])
        expect(refusalOfApp({ as: 'model', provider }, installed({ requires } as never))).toBeNull();
  });

  it.each<[string, NonNullable<ToolCaller['only']> | undefined, boolean]>([
    ['everything', undefined, true],
    ['the whole app', () => new Map([[APP.appId, null]]), true],
    ['one of its tools', () => new Map([[APP.appId, ['pin']]]), false],
    ['another app', () => new Map([['b', null]]), false],
  ])('who is offered %s may use what an app has beside its tools: %#', (_what, only, may) => {
    expect(mayUseAll({ as: 'model', ...(only && { only }) }, APP)).toBe(may);
    expect(mayUseAll({ as: 'model', provider: 'cursor', ...(only && { only }) }, APP)).toBe(false);
  });

  it('is asked for lists and apps too, and reads the switches of each list once', () => {
    let reads = 0;
    const caller: ToolCaller = {
      as: 'model',
      switchedOff: () => {
        reads += 1;
        return (_appId, id) => id === 'off';
      },
    };
    const tools = ['on', 'off', 'on2'].map((id) => ({ ...tool(), id })) as never[];
    expect(usableTools(caller, APP, tools).map(({ id }) => id)).toEqual(['on', 'on2']);
    expect(reads).toBe(1);
    expect(refusalOfApp({ as: 'page', provider: 'cursor' }, APP)?.code).toBe('unknown-tool');
    expect(refusalOfApp(caller, APP)).toBeNull();
  });
});
