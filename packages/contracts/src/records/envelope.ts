import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../errors.ts';
import { Issue } from '../issue.ts';
import { ReviewLock } from './moderation.ts';
import { VersionState } from './versions.ts';

/** What each error may carry beside its code. */
export const ErrorExtras = z.object({
  issues: z.array(Issue).optional(),
  latest: z.string().optional().describe('Greatest version uploaded so far.'),
  status: VersionState.optional().describe('Where the version stands now.'),
  lock: ReviewLock.optional().describe('Who holds the version just now.'),
  allow: z.array(z.string()).optional().describe('Methods the path has.'),
  size: z.int().optional().describe('Bytes there are.'),
  retryAfter: z.int().optional().describe('Seconds to wait.'),
});
export type ErrorExtras = z.infer<typeof ErrorExtras>;

/** The body of every error. */
export const ErrorEnvelope = z
  .object({
    code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
    message: z.string().describe('A sentence to act on.'),
    requestId: z.string().describe('Finds the request in the log of the store.'),
    ...ErrorExtras.shape,
  })
  .meta({ id: 'ErrorEnvelope' });
export type ErrorEnvelope = z.infer<typeof ErrorEnvelope>;
