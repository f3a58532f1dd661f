import { Hono } from 'hono';
import { bindRoutes, prefersPage } from '../access/bind-route.ts';
import type { Env } from '../access/context.ts';
import { answerRefusal, onError } from '../access/envelope.ts';
import { observe } from '../access/observe.ts';
import { type AnswerFromMemory, answerFromMemory } from '../features/catalog/answer-from-memory.ts';
import { setupLink } from '../features/people/setup.ts';
import { ApiError } from '../platform/api-error.ts';
import { featureRoutes } from './features.ts';
import type { StoreParts } from './open-parts.ts';
import { createSharedParts } from './shared-parts.ts';

/** Creates the store as one HTTP application. `listen` serves it on a port. */
export function createStore(parts: StoreParts): {
  app: Hono<Env>;
  answerFromMemory: AnswerFromMemory;
  /** Brings the revocation list up to date. Never fails. */
  renewRevocations(): Promise<void>;
  /** Writes the last use of tokens. */
  writeUses(): Promise<void>;
  /** Counts the downloads that were queued. */
  writeInstalls(): Promise<void>;
  /** The link with which the first administrator is created; null once there is one. */
  setupLink(): Promise<string | null>;
} {
  const shared = createSharedParts(parts);
  const all = { ...parts, ...parts.stores, ...shared };
  const app = new Hono<Env>();
  const onChange = (): void => {
    shared.pages.invalidate();
    shared.details.invalidate();
    shared.similar.invalidate();
  };
  parts.brandBook.onChange(onChange);
  app.use(observe({ ...all, onChange }));
  app.onError(onError(all));
  app.notFound((c) => {
    const isPage = prefersPage(c);
    if (isPage) c.set('isPage', true);
    c.header('Vary', 'Accept', { append: true });
    return answerRefusal(
      c,
      new ApiError(
        'not_found',
        isPage ? 'There is no page at this address.' : 'There is no endpoint at this address. See /api/docs.',
      ),
    );
  });
  bindRoutes(app, all, featureRoutes(all));
  const fromMemory = answerFromMemory(all);
  return {
    app,
    answerFromMemory: (request, response, ordinary) =>
      parts.accessRules.now().read === 'public' && fromMemory(request, response, ordinary),
    renewRevocations: shared.revocationList.renew,
    writeUses: shared.writeUses,
    writeInstalls: shared.writeInstalls,
    setupLink: () => setupLink(all),
  };
}
