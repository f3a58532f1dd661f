import fc from 'fast-check';
import { expect, it } from 'vitest';
import { modelName } from '../../src/models/model-names.ts';

it('is readable where ids are short', () => {
  expect(modelName('com.example.notes', 'create')).toBe('com_example_notes__create');
});

it('is a name that every provider takes, whatever the ids', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 90 }), fc.string({ maxLength: 90 }), (app, tool) => {
      expect(modelName(app, tool)).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    }),
  );
});

it.each([
  [
    ['com.example.a', 'b__c'],
    ['com.example.a__b', 'c'],
  ],
  [
    ['com.a', 'x'.repeat(60)],
    ['com.a', `${'x'.repeat(59)}y`],
  ],
  [
    ['com.a', 'é'],
    ['com.a', 'è'],
  ],
] as const)('tells %j from %j', (one, other) => {
  expect(modelName(one[0], one[1])).not.toBe(modelName(other[0], other[1]));
});
