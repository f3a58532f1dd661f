import type { Issue } from '@svc/contracts';
import type { Candidate } from '../../domain/versions/inspect-bundle.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { OverrunError } from '../../platform/overrun-error.ts';
import type { InspectionQueues, SpooledUpload } from './inspection-queues.ts';
import type { Claim } from './submit-version.ts';

const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`;

function refusalOf(code: 'invalid_bundle' | 'validation_failed', issues: Issue[]): ApiError {
  if (code === 'invalid_bundle') {
    return new ApiError(code, 'The body is not a valid bundle: see issues, and pack it again.', {
      issues,
    });
  }
  const errors = issues.filter(({ level }) => level === 'error').length;
  return new ApiError(code, `The store checks found ${count(errors, 'error')}: see issues.`, { issues });
}

/**
 * Checks an uploaded bundle. Permission to publish is checked before anything but the manifest is read.
 * @param requireAllowed refuses what the uploader may not publish
 * @throws ApiError invalid_bundle when readers would disagree on the zip, validation_failed when a check found an error;
 *   the errors of `requireAllowed`; OverrunError when the checks took too much time or memory
 */
export async function admitBundle(
  queues: InspectionQueues,
  sent: SpooledUpload,
  requireAllowed: (claim: Claim) => Promise<unknown>,
): Promise<Candidate> {
  const opening = await queues.open(sent);
  if (opening.is === 'refused') throw refusalOf(opening.code, opening.issues);
  await requireAllowed(opening.claim);
  const inspection = await queues.inspect(sent, opening.costMs);
  if (inspection.ok) return inspection.candidate;
  throw refusalOf(inspection.code, inspection.issues);
}

const seconds = (ms: number | null): string => count(Math.round((ms ?? 0) / 1000), 'second');

/** The issue for a developer whose bundle exceeded the limits of the checks. */
function overrunIssue({ what, limitMs }: OverrunError): Issue {
  const level = 'error' as const;
  if (what === 'memory') {
    const message = 'Checking the bundle exceeded the memory limit: make the bundle smaller.';
    return { code: 'check.memory', level, path: '', message };
  }
  const [path, subject, advice] =
    what === 'pictures'
      ? ['/branding', 'the manifest and the pictures it names', 'make the pictures simpler']
      : ['', 'the bundle', 'make it smaller, especially its scripts'];
  const message = `Checking ${subject} took longer than ${seconds(limitMs)}: ${advice}.`;
  return { code: 'check.timeout', level, path, message };
}

/** The refusal of a bundle that exceeded the limits of the checks. */
export function overrunRefusal(overrun: OverrunError): ApiError {
  const issues = [overrunIssue(overrun)];
  return new ApiError(
    'validation_failed',
    'The checks exceeded their time or memory limit: see issues. This upload counts as several.',
    { issues },
  );
}
