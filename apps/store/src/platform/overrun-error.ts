/**
 * Work in a separate thread exceeded a limit and was ended. `what` is the step that took too long, `time` when all of the work took too
 * long, or `memory`.
 */
export class OverrunError extends Error {
  readonly what: string;
  /** The time limit in milliseconds; null when another limit was exceeded. */
  readonly limitMs: number | null;

  constructor(what: string, limitMs: number | null = null) {
    super(limitMs === null ? `Out of ${what}.` : `The limit of ${limitMs} ms for ${what} was exceeded.`);
    this.name = 'Overrun';
    this.what = what;
    this.limitMs = limitMs;
  }
}
