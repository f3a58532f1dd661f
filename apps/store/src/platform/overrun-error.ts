/**
 * Some work in a thread of its own that took more than it may, and was ended. `what` is the part of it that took too long,
 * `time` the whole of it, `memory` that its thread had too little.
 */
export class OverrunError extends Error {
  readonly what: string;
  /** Milliseconds; null when it was not time that ran out. */
  readonly limitMs: number | null;

  constructor(what: string, limitMs: number | null = null) {
    super(limitMs === null ? `Out of ${what}.` : `The limit of ${limitMs} ms for ${what} was exceeded.`);
    this.name = 'Overrun';
    this.what = what;
    this.limitMs = limitMs;
  }
}
