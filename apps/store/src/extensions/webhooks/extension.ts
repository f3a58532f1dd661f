import { LIMITS } from '@svc/contracts';
import type { Extension } from '../../core/access/extension.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { withQueries } from '../../core/domain/parts/with-queries.ts';
import type { Database } from '../../platform/database/schema.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import { createWebhookSender, type DeliverDeps } from './deliver.ts';
import { createEventStore } from './event-store.ts';
import { letters } from './letters.ts';
import { type CoreStores, type WebhookDeps, webhookRoutes } from './routes.ts';
import { createWebhookStore } from './webhook-store.ts';

/** The queries of the extension, on the database or on a transaction of it. */
export const webhookQueries = (db: Database) => ({
  events: createEventStore(db),
  webhooks: createWebhookStore(db),
});

type Own = keyof ReturnType<typeof webhookQueries>;
type Needs = Omit<DeliverDeps & WebhookDeps, Own | 'unitOfWork'> &
  Pick<Parts, 'db'> & { unitOfWork: UnitOfWork<CoreStores> };

/** What happened, as a list that anyone may read, and as requests to the receivers of publishers and of the store. */
export const webhooks: Extension<Needs> = {
  name: 'webhooks',
  open(parts) {
    const own = withQueries(parts, webhookQueries);
    const sender = createWebhookSender(own);
    return {
      routes: webhookRoutes(own),
      letters,
      hooks: {
        endAccess: async ({ db }, personId) => ({
          webhooksRemoved: await createWebhookStore(db).removeMadeBy(personId),
        }),
        publisherRemoved: ({ db }, slug) => createWebhookStore(db).removeOf(slug),
        purgeExpired: (now) =>
          own.webhooks.purgeBefore(new Date(now.getTime() - LIMITS.events.keptMs).toISOString()),
      },
      additions: {
        llms: (baseUrl) => ({
          feeds: `[Events](${baseUrl}/api/events): what happened to apps, in order, for mirrors`,
        }),
      },
      jobs: [{ what: 'Delivering webhooks', seconds: [5, 1], work: sender.begin, idle: sender.idle }],
    };
  },
};
