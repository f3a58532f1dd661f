import type { RouteHandler } from '../access/bind-route.ts';
import type { AuditLog } from '../domain/audit/audit-log.ts';
import { readAuditLog } from './read-audit-log.ts';

/** How administrators look up who did what. */
export const auditRoutes = (deps: { audit: AuditLog }) => ({
  auditLog: (async (c, { query }) =>
    c.json(await readAuditLog(deps, query), 200, {
      'Cache-Control': 'no-store',
    })) satisfies RouteHandler<'auditLog'>,
});
