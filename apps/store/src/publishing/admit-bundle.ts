import { Refusal } from '../platform/refusal.ts';
import type { Candidate, Inspection } from './inspect-bundle.ts';

/** Runs the store's checks somewhere where a hostile bundle can do no harm. */
export interface BundleInspector {
  /**
   * @param file local file that holds the zip
   * @throws when the checks crash, or take too long or too much memory; the bundle must not be taken then
   */
  inspect(file: string): Promise<Inspection>;
}

const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`;

/**
 * Lets a bundle in, or says why not.
 * @throws Refusal invalid_bundle when readers would disagree on the zip, validation_failed when a check found an error
 */
export async function admitBundle(inspector: BundleInspector, file: string): Promise<Candidate> {
  const inspection = await inspector.inspect(file);
  if (inspection.ok) return inspection.candidate;
  const { code, issues } = inspection;
  if (code === 'invalid_bundle') {
    throw new Refusal(code, 'The body is not a zip that can be trusted: see issues, and pack it anew.', {
      issues,
    });
  }
  const errors = issues.filter(({ level }) => level === 'error').length;
  throw new Refusal(code, `The store checks found ${count(errors, 'error')}: see issues.`, { issues });
}
