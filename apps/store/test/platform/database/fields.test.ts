import { expect, it } from 'vitest';
import { columnsOf, fieldsOf } from '../../../src/platform/database/fields.ts';

it('names the columns of a row as fields, and parses JSON', () => {
  const row = { app_id: 'a', sha256: 'b', last_used_at: null, scopes_json: '["yank"]', types_json: null };
  expect(fieldsOf(row)).toEqual({ appId: 'a', sha256: 'b', lastUsedAt: null, scopes: ['yank'], types: null });
});

it('names fields as columns', () => {
  const fields = { appId: 'a', sha256: 'b', lastUsedAt: null, id: 1 };
  expect(columnsOf(fields)).toEqual({ app_id: 'a', sha256: 'b', last_used_at: null, id: 1 });
  expect(fieldsOf(columnsOf(fields))).toEqual(fields);
});
