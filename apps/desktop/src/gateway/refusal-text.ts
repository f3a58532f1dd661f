import type { CallToolResult } from '@modelcontextprotocol/server';
import { type RefusalCode, RuntimeError } from '@svc/runtime';

/** What an agent can do about a refusal. */
const ADVICE: Partial<Record<RefusalCode, string>> = {
  declined: 'Do not try again unless the user asks for it.',
  'not-connected': 'Call connect_account, or ask the user to connect the account on the desktop page.',
  'switched-off': 'Ask the user to switch the app on, on the desktop page.',
  withdrawn: 'It can no longer be used. Inform the user.',
  'requirement-missing': 'Ask the user to install or switch on what the app needs, on the desktop page.',
  'unknown-tool': 'List the tools again.',
  'unknown-account': 'Call list_apps for the accounts of each app.',
  'too-slow': 'Try again with a smaller request.',
  unreachable: 'Try again later.',
  'token-unavailable': 'Try again later, or call connect_account to sign in again.',
};

/** A result that says why a call was not made. */
export const failure = (text: string): CallToolResult => ({
  isError: true,
  content: [{ type: 'text', text }],
});

/** Formats an error as a result that an agent can act on. Details of unexpected errors are not sent. */
export function refusalResult(error: unknown): CallToolResult {
  if (!(error instanceof RuntimeError)) return failure('The call failed in svc desktop. See its log.');
  const advice = ADVICE[error.code];
  return failure(`${error.message}${advice === undefined ? '' : ` ${advice}`} (${error.code})`);
}
