import type { Extension } from '../../core/access/extension.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { type TransparencyDeps, transparencyRoutes } from './routes.ts';
import { createYearStore } from './year-store.ts';

type Needs = Omit<TransparencyDeps, 'years'> & Pick<Parts, 'db'>;

/** What the store decided in a year, as numbers that anyone may read. */
export const transparency: Extension<Needs> = {
  name: 'transparency',
  open: (parts) => ({ routes: transparencyRoutes({ ...parts, years: createYearStore(parts.db) }) }),
};
