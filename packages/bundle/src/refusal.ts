import type { Issue } from '@svc/contracts';
import { quoteText } from '@svc/text';

/** Longest part of an untrusted name that a message quotes. */
const SHOWN = 80;

/** Why a zip is refused. A step of the reader returns it instead of its result; it is never thrown. */
export class Refusal {
  /** Name of the invalid entry, or empty when the archive itself is invalid. */
  readonly path: string;
  readonly message: string;

  constructor(path: string, message: string) {
    this.path = path;
    this.message = message;
  }

  toIssue(): Issue {
    return { code: 'invalid_bundle', level: 'error', path: this.path, message: this.message };
  }
}

/** Quotes an untrusted name for a message: escaped and cut. */
export const quote = (name: string): string => quoteText(name, SHOWN);
