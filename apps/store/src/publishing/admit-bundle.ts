import type { Issue } from '@svc/contracts';
import type { Candidate } from '../domain/versions/inspect-bundle.ts';
import { ApiError } from '../platform/api-error.ts';
import type { OverrunError } from '../platform/overrun-error.ts';
import type { Lanes, Sent } from './lanes.ts';
import type { Claim } from './submit-version.ts';

const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`;

function refusalOf(code: 'invalid_bundle' | 'validation_failed', issues: Issue[]): ApiError {
  if (code === 'invalid_bundle') {
    return new ApiError(code, 'The body is not a zip that can be trusted: see issues, and pack it again.', {
      issues,
    });
  }
  const errors = issues.filter(({ level }) => level === 'error').length;
  return new ApiError(code, `The store checks found ${count(errors, 'error')}: see issues.`, { issues });
}

/**
 * Lets a bundle in, or says why not. Whether its sender may publish it is asked before anything but the manifest is read.
 * @param requireAllowed refuses what the sender may not publish
 * @throws ApiError invalid_bundle when readers would disagree on the zip, validation_failed when a check found an error;
 *   what `requireAllowed` throws; Overrun when the checks took too long or too much memory
 */
export async function admitBundle(
  lanes: Lanes,
  sent: Sent,
  requireAllowed: (claim: Claim) => Promise<unknown>,
): Promise<Candidate> {
  const opening = await lanes.open(sent);
  if (opening.is === 'refused') throw refusalOf(opening.code, opening.issues);
  await requireAllowed(opening.claim);
  const inspection = await lanes.inspect(sent, opening.costMs);
  if (inspection.ok) return inspection.candidate;
  throw refusalOf(inspection.code, inspection.issues);
}

const seconds = (ms: number | null): string => count(Math.round((ms ?? 0) / 1000), 'second');

/** What an inspection that was ended says to its developer. */
function overrunIssue({ what, limitMs }: OverrunError): Issue {
  const level = 'error' as const;
  if (what === 'memory') {
    const message = 'Checking the bundle took more memory than one may take: make it smaller.';
    return { code: 'check.memory', level, path: '', message };
  }
  const [path, subject, advice] =
    what === 'pictures'
      ? ['/branding', 'the manifest and the pictures it names', 'make the pictures simpler']
      : ['', 'the bundle', 'make it smaller, its scripts above all'];
  const message = `Checking ${subject} took longer than ${seconds(limitMs)}: ${advice}.`;
  return { code: 'check.timeout', level, path, message };
}

/** The refusal of a bundle whose inspection was ended. */
export function overrunRefusal(overrun: OverrunError): ApiError {
  const issues = [overrunIssue(overrun)];
  return new ApiError(
    'validation_failed',
    'The store checks were ended, as they took too much: see issues. Such an upload counts as several.',
    { issues },
  );
}
