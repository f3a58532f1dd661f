/** The prior of the Bayesian average: an app starts with this many ratings of this many stars, so that a single rating has little weight. */
const PRIOR = { count: 10, average: 3.5 };

/** Installations above this number do not count. */
const MAX_INSTALLS = 10_000_000;

const INSTALLS_SHARE = 0.6;

/** The statistics that the catalogue ranks by. */
export type AppStats = { installs: number; rating: { average: number; count: number } };

/** The Bayesian average of the stars of an app: 1 to 5. */
export const weightedRating = ({ average, count }: AppStats['rating']): number =>
  (PRIOR.count * PRIOR.average + count * average) / (PRIOR.count + count);

/** The popularity of an app, from 0 to 1: the logarithm of its installations, and its stars. */
export function popularity({ installs, rating }: AppStats): number {
  const used = Math.min(Math.log1p(installs) / Math.log1p(MAX_INSTALLS), 1);
  const liked = (weightedRating(rating) - 1) / 4;
  return INSTALLS_SHARE * used + (1 - INSTALLS_SHARE) * liked;
}
