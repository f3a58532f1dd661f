import type { RouteHandler } from '../../access/bind-route.ts';
import { type AuditDeps, readAuditLog } from './read-audit-log.ts';

export const auditRoutes = (deps: AuditDeps) => ({
  auditLog: (async (c, { query }) =>
    c.json(await readAuditLog(deps, query), 200, {
      'Cache-Control': 'no-store',
    })) satisfies RouteHandler<'auditLog'>,
});
