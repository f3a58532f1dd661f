import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../errors.ts';
import { Issue } from '../issue.ts';
import { named } from '../named.ts';
import { ReviewLock } from './moderation.ts';
import { ClaimMismatch } from './trusted-publishing.ts';
import { VersionState } from './versions.ts';

/** When and why something was stopped. */
const Tombstone = named.object('Tombstone', {
  at: z.string().describe('When, ISO 8601 in UTC.'),
  rule: z
    .object({ id: z.string(), title: z.string(), policy: z.int().describe('The version of the policy.') })
    .nullable()
    .describe('The rule of the policy that it cites; null for an act of the publisher itself.'),
  words: z.string().describe('The reason, in the words of who did it.'),
});

/** Additional fields of an error, depending on its code. */
export const ErrorExtras = z.object({
  issues: z.array(Issue).optional(),
  latest: z.string().optional().describe('The greatest version uploaded so far.'),
  status: z
    .union([VersionState, z.string().regex(/^[1-5]\d\d$/)])
    .optional()
    .describe('Current state of the version; in routes of SCIM the HTTP status.'),
  lock: ReviewLock.optional().describe('The lock of another moderator.'),
  allow: z.array(z.string()).optional().describe('Methods that the path supports.'),
  tombstone: Tombstone.optional().describe('When and why the app or the publisher was stopped.'),
  size: z.int().optional().describe('Size of the file in bytes.'),
  claims: z
    .array(ClaimMismatch)
    .optional()
    .describe('The claims of an ID token that are not the expected ones.'),
  retryAfter: z.int().optional().describe('Seconds to wait before the next request.'),
});
export type ErrorExtras = z.infer<typeof ErrorExtras>;

/** The body of every error. */
export const ErrorEnvelope = named.object('ErrorEnvelope', {
  code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
  message: z.string().describe('What is wrong and what to do, in English. Do not parse it: use `code`.'),
  requestId: z.string().describe('Id of the request in the log of the store.'),
  schemas: z.array(z.string()).optional().describe('In routes of SCIM.'),
  detail: z.string().optional().describe('The message again, in routes of SCIM.'),
  scimType: z.string().optional(),
  error: z.string().optional().describe('The message again, in routes that follow the MCP registry API.'),
  ...ErrorExtras.shape,
});
export type ErrorEnvelope = z.infer<typeof ErrorEnvelope>;
