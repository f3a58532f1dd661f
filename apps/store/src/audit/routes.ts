import type { RouteHandler } from '../http/bind-route.ts';
import type { AuditLog } from './audit-log.ts';
import { readAuditLog } from './read-audit-log.ts';

/** How administrators look up who did what. */
export const auditRoutes = (deps: { audit: AuditLog }) => ({
  auditLog: (async (c, { query }) =>
    c.json(await readAuditLog(deps, query), 200, {
      'Cache-Control': 'no-store',
    })) satisfies RouteHandler<'auditLog'>,
});
