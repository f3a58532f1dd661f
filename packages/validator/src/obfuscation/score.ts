import type { AnyNode } from 'acorn';
import type { Feature } from './feature.ts';
import { evaluationFeatures } from './features/evaluation.ts';
import { machineryFeatures } from './features/machinery.ts';
import { memberFeatures } from './features/members.ts';
import { nameFeatures } from './features/names.ts';
import { valueFeatures } from './features/values.ts';
import { visitSyntax } from './syntax.ts';

/** All features that are counted. */
export const FEATURES: readonly Feature[] = [
  ...nameFeatures,
  ...memberFeatures,
  ...valueFeatures,
  ...machineryFeatures,
  ...evaluationFeatures,
];

/** A script with this score or more counts as obfuscated; docs/obfuscation.md has the measurements behind it. */
export const FLAGGED = 50;

/** The points that one feature adds to a score. */
export type Evidence = { readonly feature: string; readonly points: number; readonly says: string };

export type Score = {
  /** The sum of all evidence; a script is reported from `FLAGGED` points on. */
  readonly points: number;
  /** The strongest first. */
  readonly evidence: readonly Evidence[];
};

type Tally = { readonly feature: Feature; hits: number; chances: number };

/** Counts every feature in the syntax tree of a text and adds up the points. The text may be a piece of a script. */
export function scoreOf(text: string): Score {
  const tallies = FEATURES.map((feature): Tally => ({ feature, hits: 0, chances: 0 }));
  const talliesOf = new Map<string, Tally[]>();
  for (const tally of tallies) {
    for (const type of tally.feature.nodes) talliesOf.set(type, [...(talliesOf.get(type) ?? []), tally]);
  }
  visitSyntax(text, (node: AnyNode) => {
    for (const tally of talliesOf.get(node.type) ?? []) {
      tally.hits += Number(tally.feature.count(node));
      tally.chances += tally.feature.chances?.(node) ?? 1;
    }
  });
  const evidence = tallies.flatMap(evidenceOf).sort((a, b) => b.points - a.points);
  return { points: evidence.reduce((sum, { points }) => sum + points, 0), evidence };
}

function evidenceOf({ feature, hits, chances }: Tally): Evidence[] {
  const share = hits / Math.max(chances, 1);
  if (hits <= 0 || share < (feature.share ?? 0)) return [];
  const points = Math.round(feature.weight * Math.min(1, hits / feature.enough));
  return [
    { feature: feature.name, points, says: feature.says(hits, Math.min(100, Math.round(100 * share))) },
  ];
}
