import { z } from 'zod';
import { AUDIT_ACTIONS } from '../vocabulary.ts';
import { Direction, PublisherSlug, Timestamp } from './common.ts';

export const AuditAction = z.enum(AUDIT_ACTIONS);
export type AuditAction = z.infer<typeof AuditAction>;

/** What an action came with, by name: a reason, a hash, what was changed. Text is cut at 2,000 characters. */
export const AuditDetail = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]),
);
export type AuditDetail = z.infer<typeof AuditDetail>;

/** Who did what to which app, version, publisher or token, when and from where. */
export const AuditEntry = z
  .object({
    id: z.int().describe('Grows with every entry; never given twice.'),
    at: Timestamp,
    actor: z
      .string()
      .describe(
        'Who did it: `automation`, `person:<id>`, `publisher:<slug>` for a token of its own, `signer`, `store` or `operator`.',
      ),
    action: AuditAction,
    appId: z.string().nullable(),
    version: z.string().nullable(),
    publisher: z.string().nullable(),
    tokenId: z.string().nullable().describe('The developer token that was used, or that was made.'),
    address: z.string().nullable().describe('Address of the client; null when no request asked for it.'),
    requestId: z.string().nullable().describe('Finds the request in the log of the store.'),
    detail: AuditDetail,
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof AuditEntry>;

const MAX_A_PAGE = 100;

/** Which entries of the audit log; all conditions must hold. */
export const AuditQuery = z.object({
  actor: z.string().max(200).optional().describe('Only what this actor did.'),
  action: AuditAction.optional().describe('Only this action.'),
  appId: z.string().max(200).optional().describe('Only about this app.'),
  publisher: PublisherSlug.optional().describe('Only about this publisher.'),
  from: z.iso.datetime().optional().describe('Only at this time or later. ISO 8601, UTC.'),
  to: z.iso.datetime().optional().describe('Only before this time. ISO 8601, UTC.'),
  direction: Direction.default('desc').describe('`desc`, when left out, begins with the newest.'),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_A_PAGE)
    .default(MAX_A_PAGE)
    .describe('Entries a page; 100 when left out.'),
  cursor: z.string().max(100).optional().describe('`nextCursor` of the page before.'),
});
export type AuditQuery = z.infer<typeof AuditQuery>;

/** One page of the audit log. */
export const AuditPage = z
  .object({
    entries: z.array(AuditEntry),
    names: z
      .record(z.string(), z.string())
      .describe(
        'What those in the entries are called now, by `person:<id>`, `publisher:<slug>` and `app:<id>`; accounts that are gone are left out.',
      ),
    nextCursor: z.string().nullable().describe('Null on the last page.'),
  })
  .meta({ id: 'AuditPage' });
export type AuditPage = z.infer<typeof AuditPage>;
