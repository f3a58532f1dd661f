const RealDate = globalThis.Date;

let shiftMs = 0;

/** A shifted clock. Timers are not affected. */
class ShiftedDate extends RealDate {
  constructor(...given: ConstructorParameters<DateConstructor> | []) {
    if (given.length === 0) super(RealDate.now() + shiftMs);
    else super(...(given as ConstructorParameters<DateConstructor>));
  }

  static override now(): number {
    return RealDate.now() + shiftMs;
  }
}

/** Shifts the clock of this process by the given milliseconds. */
export function shiftClock(ms: number): void {
  shiftMs = ms;
  globalThis.Date = ShiftedDate as DateConstructor;
}
