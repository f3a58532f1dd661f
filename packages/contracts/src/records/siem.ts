import { z } from 'zod';
import { named } from '../named.ts';
import { Timestamp } from './common.ts';

/** How far the audit log is delivered to the collector of the operator. */
export const AuditDelivery = named.object('AuditDelivery', {
  to: z.string().nullable().describe('Host of the collector; null when `SVC_AUDIT_TO` names none.'),
  delivered: z.int().describe('Id of the last entry that the collector has; 0 while it has none.'),
  last: z.int().describe('Id of the last entry of the audit log.'),
  deliveredAt: Timestamp.nullable(),
});
export type AuditDelivery = z.infer<typeof AuditDelivery>;
