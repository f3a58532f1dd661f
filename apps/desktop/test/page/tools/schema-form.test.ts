import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FieldTexts, fieldsOf, fill, WHOLE } from '../../../page/src/tools/schema-form.ts';
import { TOOL } from '../support/sample-data.ts';

const FIELDS = fieldsOf(TOOL.inputSchema);

const filled = (texts: FieldTexts) => fill(FIELDS, { title: 'A', ...texts });
const faultOf = (texts: FieldTexts) => {
  const made = filled(texts);
  return 'faults' in made ? made.faults : null;
};

describe('the form of a tool', () => {
  it('has a field of the right kind for each argument, with required ones first', () => {
    expect(FIELDS.map(({ name, kind, required, initial }) => [name, kind, required, initial])).toEqual([
      ['title', 'string', true, ''],
      ['stars', 'integer', false, '3'],
      ['pinned', 'boolean', false, ''],
      ['colour', 'choice', false, ''],
      ['tags', 'json', false, '[\n  "new"\n]'],
    ]);
  });

  it('converts values to the types of the schema, and leaves out empty ones', () => {
    const texts = { stars: ' 4 ', pinned: 'false', colour: '"red"', tags: '["a"]' };
    expect(filled(texts)).toEqual({
      arguments: { title: 'A', stars: 4, pinned: false, colour: 'red', tags: ['a'] },
    });
    expect(filled({ stars: '', tags: '  ' })).toEqual({ arguments: { title: 'A' } });
  });

  it('shows for each field what to fix', () => {
    expect(faultOf({ title: '' })).toHaveProperty('title', 'This field is required.');
    expect(faultOf({ title: 'x'.repeat(41) })).toHaveProperty('title');
    expect(faultOf({ stars: '2.5' })).toHaveProperty('stars', 'Enter a whole number.');
    expect(faultOf({ stars: '6' })).toHaveProperty('stars', 'At most 5.');
    expect(faultOf({ stars: 'Infinity' })).toHaveProperty('stars', 'Enter a number, such as 2.5.');
    expect(faultOf({ tags: '{"a":1}' })).toHaveProperty('tags', 'Enter a JSON array.');
    expect(faultOf({ tags: '[1' })?.tags).toMatch(/^Not valid JSON: /);
  });

  it('counts characters as code points, like JSON Schema', () => {
    expect(faultOf({ title: '🌿'.repeat(40) })).toBeNull();
  });

  it('has one field for a JSON object when the schema does not describe its properties', () => {
    for (const schema of [{}, { type: 'object' }, { properties: 7 }]) {
      const fields = fieldsOf(schema);
      expect(fields.map(({ name }) => name)).toEqual([WHOLE]);
      expect(fill(fields, { [WHOLE]: '{"a":[1]}' })).toEqual({ arguments: { a: [1] } });
      expect(fill(fields, { [WHOLE]: '[1]' })).toHaveProperty('faults');
    }
    expect(fieldsOf({ type: 'object', properties: {} })).toEqual([]);
    expect(fill([], {})).toEqual({ arguments: {} });
  });

  it('sets own properties for arguments that are named like inherited ones', () => {
    const properties = JSON.parse('{"__proto__":{"type":"string"},"constructor":{"type":"string"}}');
    const fields = fieldsOf({ properties });
    const made = fill(fields, JSON.parse('{"__proto__":"a"}'));
    expect(JSON.stringify(made)).toBe('{"arguments":{"__proto__":"a"}}');
    expect(Object.getPrototypeOf('arguments' in made && made.arguments)).toBe(Object.prototype);
  });

  it('accepts any schema of a server without throwing', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (schema, properties) => {
          for (const one of [schema, { ...schema, properties }]) {
            const fields = fieldsOf(one);
            const made = fill(fields, Object.fromEntries(fields.map(({ name, initial }) => [name, initial])));
            expect('arguments' in made || 'faults' in made).toBe(true);
          }
        },
      ),
    );
  });

  it('offers enum values as JSON, and treats a nullable string as a string', () => {
    const [choice, text] = fieldsOf({
      properties: { n: { enum: [1, '1', null] }, s: { type: ['string', 'null'] } },
    });
    expect(choice?.options).toEqual(['1', '"1"', 'null']);
    expect(text?.kind).toBe('string');
    expect(fill(choice ? [choice] : [], { n: '"1"' })).toEqual({ arguments: { n: '1' } });
  });
});
