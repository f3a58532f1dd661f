import type { CallToolResult } from '@modelcontextprotocol/server';
import { type RefusalCode, RuntimeError } from '@svc/runtime';

/** What an agent can do about a refusal, beside reading it. */
const ADVICE: Partial<Record<RefusalCode, string>> = {
  declined: 'Do not try again unless the person asks for it.',
  'not-connected': 'Call connect_account, or ask the person to connect the account in the desktop page.',
  'switched-off': 'Ask the person to switch the app on in the desktop page.',
  withdrawn: 'It cannot be used any more: tell the person.',
  'requirement-missing': 'Ask the person to install or switch on what the app needs, in the desktop page.',
  'unknown-tool': 'List the tools again.',
  'unknown-account': 'list_apps names the accounts of each app.',
  'too-slow': 'Try again with less at once.',
  unreachable: 'Try again later.',
  'token-unavailable': 'Try again later, or call connect_account to sign in again.',
};

/** An answer that says why something was not done. */
export const failure = (text: string): CallToolResult => ({
  isError: true,
  content: [{ type: 'text', text }],
});

/** A refusal as an answer that an agent can act on. What is no refusal is a fault of ours, and says nothing of it. */
export function refusalResult(error: unknown): CallToolResult {
  if (!(error instanceof RuntimeError))
    return failure('The call failed inside the desktop. Its log says more.');
  const advice = ADVICE[error.code];
  return failure(`${error.message}${advice === undefined ? '' : ` ${advice}`} (${error.code})`);
}
