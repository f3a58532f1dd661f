import type { Issue, Review } from '@svc/contracts';

/** Code of the warning about a required app that is not in this store; it blocks the approval. */
const MISSING_REQUIREMENT = 'requires.id';

/** The findings that block the approval of a version: required apps that are not published in this store. */
export const missingApps = ({ status, issues }: Pick<Review, 'status' | 'issues'>): Issue[] =>
  status === 'in_review'
    ? issues.filter(({ code, level }) => code === MISSING_REQUIREMENT && level === 'warning')
    : [];
