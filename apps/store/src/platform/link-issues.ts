import type { Issue } from '@svc/contracts';
import { isCode } from '@svc/validator';

/** Adds to each issue of a response the URL of the page about its code. */
export type LinkIssues = <T extends { issues?: Issue[] | undefined }>(answer: T) => T;

/** Path of the page about a validation code. */
export const codePath = (code: string): string => `/docs/codes/${code}`;

/**
 * Creates a function that links issues. They are linked in responses and not in the database, since the URL of a store may change.
 * @param baseUrl address of the store, without a trailing slash
 */
export const linkIssues =
  (baseUrl: string): LinkIssues =>
  (answer) => {
    const { issues } = answer;
    if (issues === undefined) return answer;
    const link = (issue: Issue): Issue =>
      isCode(issue.code) ? { ...issue, docs: baseUrl + codePath(issue.code) } : issue;
    return { ...answer, issues: issues.map(link) };
  };
