import type { Issue } from '@svc/contracts';
import { quoteText } from '@svc/text';

/** Longest stretch of a hostile name that a message repeats. */
const SHOWN = 80;

/** Why a zip is not read. A step of the reader returns one in place of its result; nothing throws it. */
export class Refusal {
  /** Name of the entry at fault, or empty when the fault is the archive's. */
  readonly path: string;
  readonly message: string;

  constructor(path: string, message: string) {
    this.path = path;
    this.message = message;
  }

  /** The refusal as callers of the package see it. */
  toIssue(): Issue {
    return { code: 'invalid_bundle', level: 'error', path: this.path, message: this.message };
  }
}

/** A name made safe to stand inside a message: quoted, escaped, cut. */
export const quote = (name: string): string => quoteText(name, SHOWN);
