import type { Extension } from '../../core/access/extension.ts';
import type { NameStores } from '../../core/domain/identity/names-on-record.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { withQueries } from '../../core/domain/parts/with-queries.ts';
import type { Database } from '../../platform/database/schema.ts';
import { type EmergencyDeps, undo } from './act.ts';
import { createEmergencyStore } from './emergency-store.ts';
import { letters } from './letters.ts';
import { emergencyRoutes } from './routes.ts';

/** The queries of the extension, on the database or on a transaction of it. */
export const emergencyQueries = (db: Database) => ({ emergencies: createEmergencyStore(db) });

type Needs = Omit<EmergencyDeps & NameStores, 'emergencies' | 'unitOfWork'> &
  Pick<Parts, 'db' | 'unitOfWork'>;

/** One act that stops a publisher or an app everywhere, which a second administrator confirms, and its undo. */
export const emergencies: Extension<Needs> = {
  name: 'emergencies',
  open(parts) {
    const own = withQueries(parts, emergencyQueries);
    return {
      routes: emergencyRoutes(own),
      letters,
      hooks: {
        async undoDecision(stores, caller, { id, kind }, reason) {
          if (kind !== 'emergency') return false;
          await undo(own, { ...stores, ...emergencyQueries(stores.db) }, caller, id, reason);
          return true;
        },
      },
    };
  },
};
