/** A linear regression of measurements over time, with the confidence of its slope. */
export type Slope = { perMinute: number; low: number; high: number };

/** The quantile of the normal distribution for a confidence of 95 %. */
const Z = 1.96;

/** The quantile of Student's distribution, from the normal one (Abramowitz and Stegun, 26.7.5). */
const quantileOf = (freedom: number): number =>
  Z + (Z ** 3 + Z) / (4 * freedom) + (5 * Z ** 5 + 16 * Z ** 3 + 3 * Z) / (96 * freedom ** 2);

/**
 * The slope of measurements, by least squares. Neighbouring samples are correlated, so the confidence interval is widened (the effective
 * sample size of an AR(1) process).
 * @param minutes time of each measurement
 */
export function slopeOf(minutes: readonly number[], values: readonly number[]): Slope {
  const n = values.length;
  const mean = (all: readonly number[]) => all.reduce((sum, value) => sum + value, 0) / all.length;
  const [x, y] = [mean(minutes), mean(values)];
  const spread = minutes.reduce((sum, minute) => sum + (minute - x) ** 2, 0);
  const perMinute =
    minutes.reduce((sum, minute, i) => sum + (minute - x) * ((values[i] as number) - y), 0) / spread;
  const rest = values.map((value, i) => value - y - perMinute * ((minutes[i] as number) - x));
  const freedom = Math.max(1, n - 2);
  const variance = rest.reduce((sum, value) => sum + value ** 2, 0) / freedom;
  const lagged = rest.slice(1).reduce((sum, value, i) => sum + value * (rest[i] as number), 0);
  const total = rest.reduce((sum, value) => sum + value ** 2, 0) || 1;
  const likeness = Math.min(0.99, Math.max(0, lagged / total));
  const error = Math.sqrt((variance / spread) * ((1 + likeness) / (1 - likeness)));
  const margin = quantileOf(freedom) * error;
  return { perMinute, low: perMinute - margin, high: perMinute + margin };
}
