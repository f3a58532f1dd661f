import { CATALOG_SORTS, CATEGORIES } from '@svc/contracts';
import type { InstallSheet } from '@svc/runtime';
import { z } from 'zod';
import { notFound } from '../http/exchange.ts';
import type { Session } from '../sessions/sessions.ts';
import { viewOf } from './app-view.ts';
import { AppId, type CallsOf, Id, type PageParts, PersonsAnswer } from './page-call.ts';

/** How long a sheet is kept for its answer, in milliseconds, and how many: each holds a whole bundle. */
const SHEET_MS = 10 * 60_000;
const MAX_SHEETS = 8;

const Search = z.strictObject({
  q: z.exactOptional(z.string().max(500)),
  category: z.exactOptional(z.enum(CATEGORIES)),
  sort: z.exactOptional(z.enum(CATALOG_SORTS)),
  cursor: z.exactOptional(z.string().max(1_000)),
});

/** Sheets that wait for the person. */
function createSheets({ system, newId }: Pick<PageParts, 'system' | 'newId'>) {
  const kept = new Map<string, { sheet: InstallSheet; session: Session; madeAt: number }>();
  const forgetOld = () => {
    for (const [id, { madeAt }] of kept) {
      if (system.now() - madeAt >= SHEET_MS || kept.size >= MAX_SHEETS) kept.delete(id);
    }
  };
  return {
    keep(session: Session, sheet: InstallSheet): string {
      forgetOld();
      const id = newId();
      kept.set(id, { sheet, session, madeAt: system.now() });
      return id;
    },
    /** An answer is given once. */
    take(session: Session, id: string): InstallSheet {
      const found = kept.get(id);
      if (found?.session !== session || system.now() - found.madeAt >= SHEET_MS)
        throw notFound('What was prepared has been waiting for too long. Prepare it again.');
      kept.delete(id);
      return found.sheet;
    },
  };
}

/** Reading the store, and installing from it. */
export function storeCalls(parts: PageParts): CallsOf<'store'> {
  const { reader, installer, library } = parts.desktop.runtime;
  const sheets = createSheets(parts);
  return {
    'store.search': {
      input: Search,
      answer: (query, { signal }) => reader.search(query as z.infer<typeof Search>, signal),
    },
    'store.app': {
      input: z.strictObject({ appId: AppId }),
      answer: ({ appId }, { signal }) => reader.detail(appId, signal, { html: true }),
    },
    'store.prepare': {
      input: z.strictObject({ appId: AppId, version: z.exactOptional(Id) }),
      async answer({ appId, version }, { session, signal }) {
        const sheet = await installer.prepareInstall(appId, version, signal);
        return { sheetId: sheets.keep(session, sheet), sheet };
      },
    },
    'store.install': {
      input: z.strictObject({ sheetId: Id, answer: PersonsAnswer }),
      async answer({ sheetId, answer }, { session }) {
        const app = await installer.install(sheets.take(session, sheetId), answer);
        return { app: viewOf(library, app) };
      },
    },
  };
}
