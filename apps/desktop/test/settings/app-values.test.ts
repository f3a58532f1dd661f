import { sampleManifest } from '@svc/testkit';
import { expect, it } from 'vitest';
import { requireDeclared, valuesOf } from '../../src/settings/app-values.ts';

const app = {
  appId: 'com.example.notes',
  manifest: sampleManifest({
    contributes: {
      settings: [
        { id: 'columns', label: 'Columns', type: 'select', options: ['1', '2'], default: '1' },
        { id: 'loud', label: 'Loud', type: 'boolean' },
      ],
    },
  }),
};
const values = (set: Record<string, string | number | boolean>) => valuesOf(app, { appValues: () => set });

it('returns the values that the user set, or else the defaults of the manifest', () => {
  expect(values({})).toEqual({ columns: '1' });
  expect(values({ columns: '2', loud: true })).toEqual({ columns: '2', loud: true });
});

it('ignores saved values that are undeclared or no longer valid', () => {
  expect(values({ columns: '3', loud: 'yes', gone: 1 })).toEqual({ columns: '1' });
});

it.each([{ columns: '3' }, { loud: 1 }, { other: true }, JSON.parse('{"__proto__":true}')])(
  'refuses %j',
  (given) => {
    expect(() => requireDeclared(app, given)).toThrow();
  },
);
