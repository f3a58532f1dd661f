import type { ErrorCode, ErrorEnvelope } from '@svc/contracts';
import { CommandError, StoreError } from '../failure.ts';
import type { Terminal } from '../io/terminal.ts';
import { escapeLines, escapeText, issueLines } from './text.ts';

/** How to fix a refusal, where the message of the store does not say it for the command line. */
const HINTS: Readonly<Partial<Record<ErrorCode, string>>> = {
  not_a_member: 'Log in as a member of the publisher in plugin.json, or fix "publisher".',
  unknown_publisher:
    'Check "publisher" in plugin.json: it must be the short name of a publisher of this store.',
  version_not_greater: 'Increase "version" in plugin.json (svc version patch), then publish again.',
  internal: 'Report the request id to the operator of the store.',
};

/** The hint for a token that is not accepted depends on its source. */
const unauthorizedHint = (fromEnvironment: boolean): string =>
  fromEnvironment
    ? 'The token in SVC_TOKEN is invalid, expired, revoked, or of another store. Get a new one.'
    : 'You are not logged in, or your token is expired or revoked. Log in: svc login';

const hintFor = (code: ErrorCode, fromEnvironment: boolean): string | undefined =>
  code === 'unauthorized' ? unauthorizedHint(fromEnvironment) : HINTS[code];

const detailLines = (
  { latest, status, retryAfter, requestId, claims = [] }: ErrorEnvelope,
  hint: string | undefined,
): string[] => [
  ...claims.map(
    ({ claim, expected, received }) => `${claim}: expected ${expected}, received ${received ?? 'none'}`,
  ),
  ...(latest === undefined ? [] : [`latest version uploaded: ${latest}`]),
  ...(status === undefined ? [] : [`current state: ${status}`]),
  ...(retryAfter === undefined ? [] : [`try again in ${retryAfter} seconds`]),
  ...(hint === undefined ? [] : [hint]),
  `request id: ${requestId}`,
];

function refusalText(terminal: Terminal, envelope: ErrorEnvelope, hint: string | undefined): string {
  const head = `svc: the store refused the request (${envelope.code}): ${escapeText(envelope.message)}\n`;
  const plain = { ...terminal, colour: false };
  const details = detailLines(envelope, hint).map((line) => `  ${escapeText(line)}\n`);
  return head + issueLines(plain, envelope.issues ?? []) + details.join('');
}

/**
 * Reports an error on standard error.
 * @param tokenFromEnvironment whether the token comes from SVC_TOKEN
 * @returns the exit code
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
  terminal.err(`svc: internal error; please report it:\n${escapeLines(trace, '  ')}\n`);
  return 1;
}
