import type { AnyNode } from 'acorn';

/** Maximum number of bytes of script to parse for one bundle; takes a few hundred milliseconds. */
export const MAX_PARSED = 4 * 1024 * 1024;

/** The bytes that may still be parsed for one bundle. */
export type Budget = { bytes: number };

export const newBudget = (): Budget => ({ bytes: MAX_PARSED });

type NodeType = AnyNode['type'];
type NodeOf<T extends NodeType> = Extract<AnyNode, { type: T }>;

/** A feature of obfuscated code, counted in the syntax tree of a piece of script. */
export type Feature<T extends NodeType = NodeType> = {
  readonly name: string;
  /** The types of node in which it can occur. */
  readonly nodes: readonly T[];
  readonly count: (node: NodeOf<T>) => number | boolean;
  /** Number of possible occurrences in that node; 1 by default. Only used with a `share`. */
  readonly chances?: (node: NodeOf<T>) => number;
  /** Minimum ratio of occurrences to chances, from 0 to 1. Without it every occurrence counts. */
  readonly share?: number;
  /** Number of occurrences for the full weight; fewer give a proportional part of it. */
  readonly enough: number;
  /** Maximum number of points that the feature adds to the score; `FLAGGED` is the threshold. */
  readonly weight: number;
  /** Describes the occurrences for a reviewer. `percent` is the rounded ratio of occurrences to chances. */
  readonly says: (hits: number, percent: number) => string;
};

/** Defines a feature, typed by its types of node. */
export function defineFeature<const T extends NodeType>(
  name: string,
  nodes: readonly T[],
  feature: Omit<Feature<T>, 'name' | 'nodes'>,
): Feature {
  // `scoreOf` passes only nodes of these types to a feature.
  return { name, nodes, ...feature } as unknown as Feature;
}
