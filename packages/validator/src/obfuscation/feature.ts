import type { AnyNode } from 'acorn';

type NodeType = AnyNode['type'];
type NodeOf<T extends NodeType> = Extract<AnyNode, { type: T }>;

/** One trace of disguise, counted over the syntax of a piece of script. */
export type Feature<T extends NodeType = NodeType> = {
  readonly name: string;
  /** The types of node in which it can show. */
  readonly nodes: readonly T[];
  /** How often it shows in such a node. */
  readonly count: (node: NodeOf<T>) => number | boolean;
  /** How often it could have shown in that node; once, when left out. Only asked for when there is a `share`. */
  readonly chances?: (node: NodeOf<T>) => number;
  /** The least share of the chances that means anything, from 0 to 1. Without it every trace counts. */
  readonly share?: number;
  /** So many give the full weight; fewer give their part of it. */
  readonly enough: number;
  /** What the feature adds to the score at most; see `FLAGGED` for what is needed. */
  readonly weight: number;
  /** The trace in words, for a reviewer. `percent` is the share of the chances, rounded. */
  readonly says: (hits: number, percent: number) => string;
};

/** Types a feature by the nodes it looks at. */
export function defineFeature<const T extends NodeType>(feature: Feature<T>): Feature {
  // The census hands a feature only nodes of the types it names.
  return feature as unknown as Feature;
}
