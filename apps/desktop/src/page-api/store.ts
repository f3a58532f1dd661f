import { CATALOG_SORTS, CATEGORIES } from '@svc/contracts';
import type { InstallSheet } from '@svc/runtime';
import { z } from 'zod';
import { notFound } from '../http/exchange.ts';
import type { Session } from '../sessions/sessions.ts';
import { viewOf } from './app-view.ts';
import { AppId, type CallsOf, Id, type PageParts, UserAnswer } from './page-call.ts';

/** How long a sheet waits for its answer, in milliseconds, and most waiting sheets: each holds a whole bundle. */
const SHEET_MS = 10 * 60_000;
const MAX_SHEETS = 8;

const Search = z.strictObject({
  q: z.exactOptional(z.string().max(500)),
  category: z.exactOptional(z.enum(CATEGORIES)),
  sort: z.exactOptional(z.enum(CATALOG_SORTS)),
  cursor: z.exactOptional(z.string().max(1_000)),
});

/** Install sheets that wait for the user. */
function createSheets({ system, newId }: Pick<PageParts, 'system' | 'newId'>) {
  const waiting = new Map<string, { sheet: InstallSheet; session: Session; createdAt: number }>();
  const removeOld = () => {
    for (const [id, { createdAt }] of waiting) {
      if (system.now() - createdAt >= SHEET_MS || waiting.size >= MAX_SHEETS) waiting.delete(id);
    }
  };
  return {
    add(session: Session, sheet: InstallSheet): string {
      removeOld();
      const id = newId();
      waiting.set(id, { sheet, session, createdAt: system.now() });
      return id;
    },
    /** Returns and removes a sheet: it can be answered once. */
    take(session: Session, id: string): InstallSheet {
      const entry = waiting.get(id);
      if (entry?.session !== session || system.now() - entry.createdAt >= SHEET_MS)
        throw notFound('The install has expired. Start it again.');
      waiting.delete(id);
      return entry.sheet;
    },
  };
}

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
        return { sheetId: sheets.add(session, sheet), sheet };
      },
    },
    'store.ratingPage': {
      input: z.strictObject({ appId: AppId }),
      answer: ({ appId }) => ({ url: reader.ratingPage(appId) }),
    },
    'store.install': {
      input: z.strictObject({ sheetId: Id, answer: UserAnswer }),
      async answer({ sheetId, answer }, { session }) {
        const app = await installer.install(sheets.take(session, sheetId), answer);
        return { app: viewOf(library, app) };
      },
    },
  };
}
