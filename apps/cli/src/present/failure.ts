import type { ErrorCode, ErrorEnvelope } from '@svc/contracts';
import { CommandError, StoreError } from '../failure.ts';
import type { Terminal } from '../io/terminal.ts';
import { escapeLines, escapeText } from './escape.ts';
import { issueLines } from './issues.ts';

/** What to do about a refusal, where the message of the store does not say it for the command line. */
const HINTS: Readonly<Partial<Record<ErrorCode, string>>> = {
  not_a_member: 'Use a token of the publisher that plugin.json names, or fix "publisher".',
  unknown_publisher: 'Check "publisher" in plugin.json: it must be the slug of a publisher of this store.',
  version_not_greater: 'Raise "version" in plugin.json above it and publish again.',
  internal: 'Report the request id to the operator of the store.',
};

/** The same for a token that is no good, which depends on where it came from. */
const unauthorizedHint = (fromEnvironment: boolean): string =>
  fromEnvironment
    ? 'The token in SVC_TOKEN is wrong, expired or revoked: get a new one.'
    : 'The token that svc login has kept is expired or revoked: log in again with svc login.';

const hintFor = (code: ErrorCode, fromEnvironment: boolean): string | undefined =>
  code === 'unauthorized' ? unauthorizedHint(fromEnvironment) : HINTS[code];

const detailLines = (
  { latest, status, retryAfter, requestId }: ErrorEnvelope,
  hint: string | undefined,
): string[] => [
  ...(latest === undefined ? [] : [`latest version uploaded: ${latest}`]),
  ...(status === undefined ? [] : [`it is now: ${status}`]),
  ...(retryAfter === undefined ? [] : [`try again in ${retryAfter} seconds`]),
  ...(hint === undefined ? [] : [hint]),
  `request id: ${requestId}`,
];

function refusalText(terminal: Terminal, envelope: ErrorEnvelope, hint: string | undefined): string {
  const head = `svc: the store refuses (${envelope.code}): ${escapeText(envelope.message)}\n`;
  const plain = { ...terminal, colour: false };
  const details = detailLines(envelope, hint).map((line) => `  ${escapeText(line)}\n`);
  return head + issueLines(plain, envelope.issues ?? []) + details.join('');
}

/**
 * Tells the user what went wrong, on standard error.
 * @param tokenFromEnvironment whether the token that was used, if any, is that of SVC_TOKEN
 * @returns the exit code: 2 for wrong use, else 1
 */
export function reportFailure(terminal: Terminal, error: unknown, tokenFromEnvironment = false): number {
  if (error instanceof StoreError) {
    const hint = hintFor(error.envelope.code, tokenFromEnvironment);
    terminal.err(refusalText(terminal, error.envelope, hint));
    return 1;
  }
  if (error instanceof CommandError) {
    terminal.err(`svc: ${escapeText(error.message)}\n`);
    return error.exitCode;
  }
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  terminal.err(`svc: this should not have happened; please report it:\n${escapeLines(trace, '  ')}\n`);
  return 1;
}
