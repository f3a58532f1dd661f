import type { Extension, HandlersOf } from '../../core/access/extension.ts';
import type { Parts, Stores } from '../../core/domain/parts/parts.ts';
import { withQueries } from '../../core/domain/parts/with-queries.ts';
import type { Database } from '../../platform/database/schema.ts';
import { createAuditDelivery, type DeliverDeps } from './deliver.ts';
import { createDeliveryStore } from './delivery-store.ts';

/** The queries of the extension, on the database or on a transaction of it. */
export const siemQueries = (db: Database) => ({ delivery: createDeliveryStore(db) });

type Needs = Omit<DeliverDeps, 'delivery'> & Pick<Parts, 'db' | 'unitOfWork'> & Pick<Stores, 'audit'>;

/** The audit log, delivered to the collector of the operator. */
export const siem: Extension<Needs> = {
  name: 'siem',
  open(parts) {
    const own = withQueries(parts, siemQueries);
    const { audit, auditSink, delivery } = own;
    return {
      routes: {
        async auditDelivery() {
          const { afterId: delivered, deliveredAt } = await delivery.read();
          return { to: auditSink?.host ?? null, delivered, last: await audit.lastId(), deliveredAt };
        },
      } satisfies HandlersOf<'siem'>,
      jobs: [{ what: 'Delivering the audit log', seconds: [5, 5], work: createAuditDelivery(own) }],
    };
  },
};
