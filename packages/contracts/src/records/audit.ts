import { z } from 'zod';
import { named } from '../named.ts';
import { AUDIT_ACTIONS } from '../vocabulary.ts';
import { Direction, PublisherSlug, pageSize, Timestamp } from './common.ts';

export const AuditAction = z.enum(AUDIT_ACTIONS);
export type AuditAction = z.infer<typeof AuditAction>;

/** Details of an action by name, such as a reason, a hash or the changed fields. Text is cut at 2,000 characters. */
export const AuditDetail = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]),
);
export type AuditDetail = z.infer<typeof AuditDetail>;

/** Who did what to which app, version, publisher or token, when and from where. */
export const AuditEntry = named.object('AuditEntry', {
  id: z.int().describe('Increases with every entry and is never reused.'),
  at: Timestamp,
  actor: z
    .string()
    .describe(
      'Who did it: `automation`, `person:<id>`, `publisher:<slug>` for a token of the publisher, `scim:<id>` or `provider:<id>` for a sign-in provider, `signer`, `store` or `operator`.',
    ),
  action: AuditAction,
  appId: z.string().nullable(),
  version: z.string().nullable(),
  publisher: z.string().nullable(),
  tokenId: z.string().nullable().describe('Id of the developer token that was used or created.'),
  address: z
    .string()
    .nullable()
    .describe('IP address of the client; null when no request caused the action.'),
  requestId: z.string().nullable().describe('Id of the request in the log of the store.'),
  detail: AuditDetail,
});
export type AuditEntry = z.infer<typeof AuditEntry>;

const MAX_A_PAGE = 100;

/** Query of the audit log; all conditions must match. */
export const AuditQuery = z.object({
  actor: z
    .string()
    .max(200)
    .optional()
    .describe('Only actions of this actor, or of the users whose name, email address or id contains it.'),
  action: AuditAction.optional().describe('Only this action.'),
  appId: z.string().max(200).optional().describe('Only actions on this app.'),
  publisher: PublisherSlug.optional().describe('Only actions on this publisher.'),
  from: z.iso.datetime().optional().describe('Only actions at or after this time. ISO 8601, UTC.'),
  to: z.iso.datetime().optional().describe('Only actions before this time. ISO 8601, UTC.'),
  direction: Direction.default('desc').describe('`desc`, the default, is newest first.'),
  limit: pageSize(MAX_A_PAGE, MAX_A_PAGE, 'Entries per page'),
  cursor: z.string().max(100).optional().describe('`nextCursor` of the previous page.'),
});
export type AuditQuery = z.infer<typeof AuditQuery>;

/** A page of the audit log. */
export const AuditPage = named.object('AuditPage', {
  entries: z.array(AuditEntry),
  names: z
    .record(z.string(), z.string())
    .describe(
      'Current names by `person:<id>`, `publisher:<slug>` and `app:<id>`. Deleted accounts have no name.',
    ),
  nextCursor: z.string().nullable().describe('Null on the last page.'),
});
export type AuditPage = z.infer<typeof AuditPage>;
