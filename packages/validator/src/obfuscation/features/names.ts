import { defineFeature } from '../feature.ts';

/** `_0x` and a hash, with an optional prefix; names of `I` and `l`, or of `O` and `0`, which look alike. */
const MADE_UP = /^(?:[a-zA-Z]+\d*)?_0x[0-9a-f]{2,}$|^(?=.*[1l])(?=.*[I1])[Il1]{5,}$|^(?=.*O)[O0Q]{5,}$/;

/** Only `$` and `_`, three or more; letters of emoticons; characters without width. */
const SIGNS = /^[$_]{3,}$|\uff9f|[\u200c\u200d]/;

/** Random lowercase and capital letters and digits, of similar length. */
const THROWN = /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)\w{5,9}$/;

/** How names look. A minifier uses the shortest possible names; these are long and easy to confuse. */
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
