import type { ColumnType } from 'kysely';

declare const HELD: unique symbol;

/** The text of a value as JSON. */
export type JsonText<Value> = string & { readonly [HELD]: Value };

/** A column that holds JSON; its name ends in `_json`. */
export type Json<Value> = ColumnType<JsonText<Value>, string, string>;

/** A boolean as both SQLite and PostgreSQL store it. */
export type Flag = 0 | 1;

/** Whether a listing is shown: 1 hides it, as its app or publisher is suspended; 2 only leaves it out of lists, as its app is delisted. */
export type Hidden = Flag | 2;

/** Converts a boolean to its stored form. */
export const flag = (value: boolean): Flag => (value ? 1 : 0);

/** The columns that count the ratings of an app. */
export type StarsColumn = `stars_${1 | 2 | 3 | 4 | 5}`;
