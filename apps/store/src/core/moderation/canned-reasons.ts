import type { CannedReason } from '@svc/contracts';
import { invalidField } from '../../platform/api-error.ts';

/** The built-in reasons for a rejection. */
const BUILT_IN: readonly CannedReason[] = [
  {
    id: 'malicious',
    rule: 'malicious',
    title: 'Malicious',
    text: 'The app acts against its users: it takes data or secrets, hides what it does, or makes a model act against the user.',
  },
  {
    id: 'orders-to-models',
    rule: 'instructions',
    title: 'A tool gives orders to models',
    text: 'The name or description of a tool tells a model what to do with other tools, with the user, or in secret. Say only what the tool does.',
  },
  {
    id: 'permissions-unexplained',
    rule: 'permissions',
    title: 'Permissions are not explained',
    text: 'Explain in "permissions", in plain words, what the app does with each grant, account and domain it asks for.',
  },
  {
    id: 'reach-too-wide',
    rule: 'permissions',
    title: 'Asks for more than it needs',
    text: 'The app asks for grants, domains or account scopes that its tools do not need. Remove them and upload a new version.',
  },
  {
    id: 'misleading-listing',
    rule: 'listing',
    title: 'Name, description or pictures mislead',
    text: 'The name, the description or the pictures promise what the app does not do. Make them describe what users get.',
  },
  {
    id: 'impersonation',
    rule: 'impersonation',
    title: 'Impersonates another person or company',
    text: 'The app looks as if it came from another company or project. Use your own name and pictures, or prove that you may use theirs.',
  },
  {
    id: 'not-working',
    rule: 'function',
    title: 'Does not work',
    text: 'We could not use the app: its server did not answer, or its tools failed. Fix it and upload a new version.',
  },
  {
    id: 'obfuscated-script',
    rule: 'readable',
    title: 'Obfuscated code',
    text: 'The bundle contains obfuscated scripts, which cannot be reviewed. Upload them readable or only minified.',
  },
  {
    id: 'unsafe-tool',
    rule: 'approval',
    title: 'A tool acts without approval',
    text: 'A tool changes, sends or deletes user data without an approval card. Add "confirm" to it.',
  },
];

/** The reasons of this store: the built-in ones, and its own. Its own replace built-in ones with the same id. */
export function cannedReasons(own: readonly CannedReason[]): CannedReason[] {
  const all = new Map([...BUILT_IN, ...own].map((reason) => [reason.id, reason]));
  return [...all.values()];
}

/**
 * The notes of a rejection for the developer: the text of the canned reason, then the note of the reviewer.
 * @throws ApiError invalid_request for an unknown reason
 */
export function rejectionNotes(
  reasons: readonly CannedReason[],
  { note, reason: id }: { note?: string | undefined; reason?: string | undefined },
): string {
  const reason = reasons.find((candidate) => candidate.id === id);
  if (id !== undefined && !reason)
    throw invalidField(
      'reason',
      'Use an id from the list of reasons.',
      'There is no such reason: see /api/moderation/reasons.',
    );
  return [reason?.text, note].filter((part) => part !== undefined).join('\n\n');
}
