import type { MemberRole, PersonRole } from '@svc/contracts';
import { WORDS as SHARED } from '@svc/ui/words';

/** Texts that several areas of the pages use. */
export const COMMON_WORDS = {
  loading: SHARED.loading,
  retry: SHARED.retry,
  cancel: SHARED.cancel,
  close: SHARED.close,
  you: 'you',
  suspended: 'suspended',
  roles: { person: 'User', moderator: 'Moderator', administrator: 'Administrator' } satisfies Record<
    PersonRole,
    string
  >,
  memberRoles: {
    member: 'Member: publishes and yanks versions',
    owner: 'Owner: also manages members, tokens and settings',
  } satisfies Record<MemberRole, string>,
  noFindings: 'The checks found no problems.',
  createPublisher: { title: 'Create a publisher', submit: 'Create publisher' },
  allChecks: 'All checks',
  viewInCatalog: 'View in the catalogue',
  /** A failed request to the store whose answer has no error envelope. */
  unexplained: (status: number) => `The store answered ${status} without a reason.`,
} as const;
