import type { Handlers } from '../../access/bind-route.ts';
import { type AuditDeps, readAuditLog } from './read-audit-log.ts';

export const auditRoutes = (deps: AuditDeps) =>
  ({
    auditLog: ({ query }) => readAuditLog(deps, query),
  }) satisfies Handlers;
