const RealDate = globalThis.Date;

let shiftMs = 0;

/** A clock that is ahead or behind. What does not ask for the time, such as a timer, goes on as before. */
class ShiftedDate extends RealDate {
  constructor(...given: ConstructorParameters<DateConstructor> | []) {
    if (given.length === 0) super(RealDate.now() + shiftMs);
    else super(...(given as ConstructorParameters<DateConstructor>));
  }

  static override now(): number {
    return RealDate.now() + shiftMs;
  }
}

/** Has the clock of this process differ from the machine's by so many milliseconds. */
export function shiftClock(ms: number): void {
  shiftMs = ms;
  globalThis.Date = ShiftedDate as DateConstructor;
}
