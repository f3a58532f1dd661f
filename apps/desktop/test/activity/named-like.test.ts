import { describe, expect, it } from 'vitest';
import { namedLike } from '../../src/activity/named-like.ts';

const app = (appId: string, name: string, tools: readonly (readonly [id: string, name: string])[]) =>
  ({
    appId,
    manifest: {
      name,
      contributes: { tools: tools.map(([id, shown]) => ({ id, name: shown, description: '' })) },
      accounts: [{ id: 'main', label: 'Harbor' }],
    },
  }) as unknown as Parameters<typeof namedLike>[0][number];

const APPS = [
  app('com.example.a', 'Field Notes', [['add', 'Add a note']]),
  app('com.example.b', 'Maps', [['find', 'Find a NOTE on a map']]),
];

describe('what a search of the activity names', () => {
  it.each([
    ['note', ['com.example.a'], ['com.example.a add', 'com.example.b find']],
    ['FIELD', ['com.example.a'], []],
    ['harbor', [], ['com.example.a main', 'com.example.b main']],
    ['nothing', [], []],
  ])('is for %j the apps, tools and accounts with it in their names', (text, apps, parts) => {
    expect(namedLike(APPS, text)).toEqual({ apps, parts });
  });
});
