import type { Issue, Review } from '@svc/contracts';

/** Code of the warning of a required app that is not in this store; approval is refused while there is one. */
const MISSING_REQUIREMENT = 'requires.id';

/** Why a version that waits cannot be approved: each required app that is not published in this store. */
export const missingApps = ({ status, issues }: Pick<Review, 'status' | 'issues'>): Issue[] =>
  status === 'in_review'
    ? issues.filter(({ code, level }) => code === MISSING_REQUIREMENT && level === 'warning')
    : [];
