import type { Selectable } from 'kysely';
import type { Tables } from './schema.ts';
import type { JsonText } from './tables/columns.ts';

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

type Snake<Name extends string> = Name extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Tail>}`
  : Name;

type FieldName<Column extends string> = Column extends `${infer Name}_json` ? Camel<Name> : Camel<Column>;

type Held<Value> = Value extends JsonText<infer Parsed> ? Parsed : Value;

/** A row as a record: `app_id` is `appId`, and `scopes_json` is `scopes`, parsed. */
export type Fields<Row> = { [Column in keyof Row & string as FieldName<Column>]: Held<Row[Column]> };

/** The record of a table. */
export type RecordOf<Table extends keyof Tables> = Fields<Selectable<Tables[Table]>>;

const JSON_SUFFIX = '_json';

const camelOf = (name: string): string =>
  name
    .split('_')
    .map((word, n) => (n === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('');

const snakeOf = (name: string): string =>
  [...name].map((letter) => (letter < 'a' && letter >= 'A' ? `_${letter.toLowerCase()}` : letter)).join('');

/** Converts a row to a record. */
export const fieldsOf = <Row extends object>(row: Row): Fields<Row> =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) =>
      column.endsWith(JSON_SUFFIX)
        ? [camelOf(column.slice(0, -JSON_SUFFIX.length)), value === null ? null : JSON.parse(value)]
        : [camelOf(column), value],
    ),
  ) as Fields<Row>;

/** Converts fields to columns, without those that hold JSON. */
export const columnsOf = <Record extends object>(fields: Record) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [snakeOf(name), value])) as {
    [Field in keyof Record & string as Snake<Field>]: Record[Field];
  };
