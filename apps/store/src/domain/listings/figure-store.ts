import type { Figures } from './popularity.ts';

/** How many gave one star, two, three, four and five. */
export type Histogram = readonly [number, number, number, number, number];

/** How an app does, whether it is listed or not. */
export type Standing = { installs: number; stars: Histogram };

/** What is known of how apps do. It outlives their listings, which come and go with their published versions. */
export interface FigureStore {
  of(appId: string): Promise<Standing>;
  /** Counts installations more, by app. */
  addInstalls(installs: ReadonlyMap<string, number>): Promise<void>;
  /** Counts a rating in place of another; null where there is none. */
  moveStars(appId: string, from: number | null, to: number | null): Promise<void>;
}

/** The average of ratings, 0 when there is none, and how many there are. */
export function ratingOf(stars: Histogram): Figures['rating'] {
  const count = stars.reduce((sum, n) => sum + n, 0);
  const total = stars.reduce((sum, n, at) => sum + n * (at + 1), 0);
  return { average: count === 0 ? 0 : total / count, count };
}

/** A standing as the catalogue weighs it. */
export const figuresOf = ({ installs, stars }: Standing): Figures => ({ installs, rating: ratingOf(stars) });
