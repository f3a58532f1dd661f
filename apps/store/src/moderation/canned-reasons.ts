import type { CannedReason } from '@svc/contracts';
import { ApiError } from '../platform/api-error.ts';

/** What reviewers write again and again. */
const BUILT_IN: readonly CannedReason[] = [
  {
    id: 'permissions-unexplained',
    title: 'Permissions are not explained',
    text: 'Say in "permissions", in plain words, what the app does with each grant, account and domain it asks for.',
  },
  {
    id: 'reach-too-wide',
    title: 'Asks for more than it needs',
    text: 'The app asks for grants, domains or account scopes that its tools do not need. Remove them and upload a new version.',
  },
  {
    id: 'misleading-listing',
    title: 'Name, description or pictures mislead',
    text: 'The name, the description or the pictures promise what the app does not do. Make them say what users get.',
  },
  {
    id: 'impersonation',
    title: 'Poses as another person or company',
    text: 'The app looks as if it came from another company or project. Use a name and pictures of your own, or show that you may use theirs.',
  },
  {
    id: 'not-working',
    title: 'Does not work',
    text: 'We could not use the app: its server did not answer, or its tools failed. Fix it and upload a new version.',
  },
  {
    id: 'obfuscated-script',
    title: 'Script that cannot be read',
    text: 'The bundle holds script that is disguised, so that it cannot be reviewed. Upload it readable or plainly minified.',
  },
  {
    id: 'unsafe-tool',
    title: 'A tool acts without asking',
    text: 'A tool changes, sends or deletes something of the user without an approval card. Give it a "confirm".',
  },
];

/** The reasons of this store: the built-in ones, of which one with the same id takes the place, and then its own. */
export function cannedReasons(own: readonly CannedReason[]): CannedReason[] {
  const all = new Map([...BUILT_IN, ...own].map((reason) => [reason.id, reason]));
  return [...all.values()];
}

/**
 * What the developer reads of a rejection: the text of the canned reason, then what the reviewer wrote.
 * @throws ApiError invalid_request for a reason that this store does not have
 */
export function rejectionNotes(
  reasons: readonly CannedReason[],
  { note, reason: id }: { note?: string | undefined; reason?: string | undefined },
): string {
  const reason = reasons.find((one) => one.id === id);
  if (id !== undefined && !reason) {
    const issue = { level: 'error' as const, path: '/reason', message: 'Use an id of the list of reasons.' };
    throw new ApiError('invalid_request', 'There is no such reason: see /api/moderation/reasons.', {
      issues: [{ code: 'invalid_request', ...issue }],
    });
  }
  return [reason?.text, note].filter((part) => part !== undefined).join('\n\n');
}
