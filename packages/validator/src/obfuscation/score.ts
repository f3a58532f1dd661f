import type { AnyNode } from 'acorn';
import type { Feature } from './feature.ts';
import { defineFeature } from './feature.ts';
import { evaluationFeatures } from './features/evaluation.ts';
import { machineryFeatures } from './features/machinery.ts';
import { memberFeatures } from './features/members.ts';
import { valueFeatures } from './features/values.ts';
import { visitSyntax } from './syntax.ts';

/** `_0x` and a hash, with an optional prefix; names of `I` and `l`, or of `O` and `0`, which look alike. */
const MADE_UP = /^(?:[a-zA-Z]+\d*)?_0x[0-9a-f]{2,}$|^(?=.*[1l])(?=.*[I1])[Il1]{5,}$|^(?=.*O)[O0Q]{5,}$/;

/** Only `$` and `_`, three or more; letters of emoticons; characters without width. */
const SIGNS = /^[$_]{3,}$|\uff9f|[\u200c\u200d]/;

/** Random lowercase and capital letters and digits, of similar length. */
const THROWN = /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)\w{5,9}$/;

/** How names look. A minifier uses the shortest possible names; these are long and easy to confuse. */
const nameFeatures = [
  defineFeature({
    name: 'made-up names',
    nodes: ['Identifier'],
    count: ({ name }) => MADE_UP.test(name),
    share: 0.02,
    enough: 10,
    weight: 100,
    says: (_hits, percent) => `${percent} % of the names look like \`_0x1a2b\` or \`Il1lI\``,
  }),
  defineFeature({
    name: 'names of signs',
    nodes: ['Identifier'],
    count: ({ name }) => SIGNS.test(name),
    share: 0.2,
    enough: 20,
    weight: 100,
    says: (_hits, percent) => `${percent} % of the names consist of symbols, like \`$_$_\``,
  }),
  defineFeature({
    name: 'thrown-together names',
    nodes: ['Identifier'],
    count: ({ name }) => THROWN.test(name),
    share: 0.15,
    enough: 20,
    weight: 25,
    says: (_hits, percent) =>
      `${percent} % of the names are letters and digits thrown together, like \`gU4BIw\``,
  }),
];

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
