import { createRequire } from 'node:module';
import { StatementSync } from 'node:sqlite';
import type pg from 'pg';

/** A statement as received by a database, and the method of a store that sent it. */
export type Recorded = { by: string; sql: string; parameters: unknown[] };

const DATA = /^\s*(?:select|insert|update|delete|with)\b/i;

/** Records every statement of this process that reads or changes rows. */
export function startRecording() {
  const all = new Map<string, Recorded>();
  let by = 'nothing';
  const note = (sql: string, parameters: unknown[]) => {
    const key = `${by} ${sql}`;
    if (DATA.test(sql) && !all.has(key)) all.set(key, { by, sql, parameters });
  };
  for (const method of ['all', 'run', 'iterate'] as const) {
    const original = StatementSync.prototype[method] as (...values: unknown[]) => unknown;
    Object.assign(StatementSync.prototype, {
      [method](this: StatementSync, ...values: unknown[]) {
        note(this.sourceSQL, values);
        return original.apply(this, values);
      },
    });
  }
  const { Client } = createRequire(import.meta.url)('pg') as typeof pg;
  const query = Client.prototype.query as (...given: unknown[]) => unknown;
  Object.assign(Client.prototype, {
    query(this: pg.Client, ...given: unknown[]) {
      if (typeof given[0] === 'string') note(given[0], (given[1] as unknown[] | undefined) ?? []);
      return query.apply(this, given);
    },
  });
  return {
    all,
    /** Sets the name of the sender of the following statements. */
    sentBy(name: string) {
      by = name;
    },
  };
}
