import { z } from 'zod';
import { AppId, type CallsOf, type PageParts } from './page-call.ts';

/** The activity log. */
export function activityCalls({ activity }: PageParts): CallsOf<'activity'> {
  return {
    'activity.list': {
      input: z.strictObject({
        appId: z.exactOptional(AppId),
        kind: z.exactOptional(z.enum(['tool', 'account', 'server'])),
        outcome: z.exactOptional(z.string().max(200)),
        before: z.exactOptional(z.int().positive()),
      }),
      answer: (wanted) => activity.list(wanted),
    },
    'activity.clear': {
      input: z.strictObject({ appId: z.exactOptional(AppId) }),
      answer: ({ appId }) => activity.clear(appId),
    },
  };
}
