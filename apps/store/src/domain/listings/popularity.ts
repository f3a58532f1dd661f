/** An app starts as if it had this many ratings of this many stars (Bayesian average), so that one rating is no verdict. */
const PRIOR = { count: 10, average: 3.5 };

/** From here on further installs say nothing more. */
const MAX_INSTALLS = 10_000_000;

const INSTALLS_SHARE = 0.6;

/** What is known of how an app does. */
export type AppStats = { installs: number; rating: { average: number; count: number } };

/** The stars of an app, drawn towards what is usual as long as few have rated it: 1 to 5. */
export const weightedRating = ({ average, count }: AppStats['rating']): number =>
  (PRIOR.count * PRIOR.average + count * average) / (PRIOR.count + count);

/** How well an app does, from 0 to 1: installs by their order of magnitude, and stars. */
export function popularity({ installs, rating }: AppStats): number {
  const used = Math.min(Math.log1p(installs) / Math.log1p(MAX_INSTALLS), 1);
  const liked = (weightedRating(rating) - 1) / 4;
  return INSTALLS_SHARE * used + (1 - INSTALLS_SHARE) * liked;
}
