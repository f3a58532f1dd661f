import { defineFeature } from '../feature.ts';

/** `_0x` and a hash, with a prefix or not; names of `I` and `l`, or `O` and `0`, that the eye cannot tell apart. */
const MADE_UP = /^(?:[a-zA-Z]+\d*)?_0x[0-9a-f]{2,}$|^(?=.*[1l])(?=.*[I1])[Il1]{5,}$|^(?=.*O)[O0Q]{5,}$/;

/** Three or more of `$` and `_` and nothing else; letters that draw a face; characters without width. */
const SIGNS = /^[$_]{3,}$|\uff9f|[\u200c\u200d]/;

/** Small and capital letters and digits thrown together, all of much the same length. */
const THROWN = /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)\w{5,9}$/;

/** What the names look like. A minifier takes the shortest names there are; these are long, to be confused. */
export const nameFeatures = [
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
