import { AuditDelivery } from '../records/siem.ts';
import { route } from './route.ts';

/** The audit log for the collector of the operator. */
export const siemRoutes = {
  auditDelivery: route.administration('admin GET /api/admin/audit-delivery', {
    summary: 'Get how far the audit log is delivered to the collector in `SVC_AUDIT_TO`.',
    success: { status: 200, body: AuditDelivery },
  }),
};
