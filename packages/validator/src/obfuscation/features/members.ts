import type { AnyNode, BinaryExpression, MemberExpression } from 'acorn';
import { defineFeature } from '../feature.ts';
import { isHexIndex, isString, isWord, textOf } from '../nodes.ts';

/** Members of JavaScript and of the DOM. Authors have no reason to quote them: compilers do not rename them. */
const BUILT_INS: ReadonlySet<string> = new Set(
  'apply bind body call charAt charCodeAt concat constructor cookie createElement defineProperty document error exports fetch filter forEach fromCharCode hasOwnProperty indexOf innerHTML join keys length location log map open parse prototype push querySelector replace reverse shift slice split splice stringify substr substring then toString value values warn'.split(
    ' ',
  ),
);

/** The name of a member that is accessed with brackets although a dot is possible: `a['b']`. */
function wordInBrackets(node: AnyNode): string | undefined {
  if (node.type !== 'MemberExpression' || !node.computed) return undefined;
  const text = textOf(node.property as AnyNode);
  return text !== undefined && isWord(text) ? text : undefined;
}

/** Emscripten exports the interface of compiled code as quoted names of this object. */
const OF_EMSCRIPTEN = 'Module';

function quotedMembers(node: MemberExpression): number {
  if (isEnumeration(node)) return -1;
  const isInterface = node.object.type === 'Identifier' && node.object.name === OF_EMSCRIPTEN;
  return !isInterface && wordInBrackets(node) !== undefined ? 1 : 0;
}

/** `E[E['A'] = 0]`, as TypeScript compiles an enum: subtracts the inner member, which is already counted. */
const isEnumeration = ({ computed, property }: MemberExpression): boolean =>
  computed &&
  property.type === 'AssignmentExpression' &&
  wordInBrackets(property.left as AnyNode) !== undefined;

const isBuiltIn = (node: MemberExpression): boolean => BUILT_INS.has(wordInBrackets(node) ?? '');

/** Only on one line: authors also split long texts at line ends. */
function joinsWord({ left, operator, right }: BinaryExpression): boolean {
  if (operator !== '+' || !isString(right)) return false;
  const before = left.type === 'BinaryExpression' && left.operator === '+' ? left.right : left;
  return (
    isString(before as AnyNode) && right.start - before.end <= ' + '.length && !right.value.startsWith('\n')
  );
}

const isLookup = (node: AnyNode): boolean =>
  node.type === 'CallExpression' &&
  node.callee.type === 'Identifier' &&
  node.arguments.some((argument) => isHexIndex(argument));

/** How members are accessed. A minifier turns `a['b']` into `a.b`, joins constant strings, and moves no names into a table. */
export const memberFeatures = [
  defineFeature('built-ins in brackets', ['MemberExpression'], {
    count: isBuiltIn,
    share: 0.1,
    enough: 8,
    weight: 45,
    says: (hits) => `${hits} built-in members are accessed with brackets, like \`['length']\``,
  }),
  defineFeature('words in brackets', ['MemberExpression'], {
    count: quotedMembers,
    share: 0.6,
    enough: 12,
    weight: 30,
    says: (_hits, percent) => `${percent} % of the members are accessed by a string in brackets`,
  }),
  defineFeature('no dots', ['MemberExpression'], {
    count: quotedMembers,
    // Members with a dot or with a string in brackets; other expressions in brackets could not use a dot.
    chances: ({ computed, property }) => Number(!computed || isString(property)),
    share: 0.98,
    enough: 20,
    weight: 18,
    says: () => 'no member is accessed with a dot',
  }),
  defineFeature('joined members', ['MemberExpression'], {
    count: (node) =>
      node.computed && node.property.type === 'BinaryExpression' && wordInBrackets(node) !== undefined,
    enough: 2,
    weight: 90,
    says: (hits) => `${hits} member names are concatenated, like \`['al' + 'ert']\``,
  }),
  defineFeature('joined texts', ['BinaryExpression'], {
    count: joinsWord,
    share: 0.2,
    enough: 10,
    weight: 25,
    says: (hits) => `${hits} strings are split and concatenated`,
  }),
  defineFeature('looked-up members', ['MemberExpression'], {
    count: (node) => node.computed && isLookup(node.property),
    share: 0.1,
    enough: 5,
    weight: 60,
    says: (hits) => `${hits} member names are looked up in a table`,
  }),
  defineFeature('looked-up texts', ['CallExpression'], {
    count: isLookup,
    share: 0.15,
    enough: 12,
    weight: 40,
    says: (hits) => `${hits} strings are looked up in a table by hexadecimal numbers`,
  }),
  defineFeature('computed keys', ['Property', 'MethodDefinition'], {
    count: ({ key, kind, computed }) =>
      isString(key) && isWord(key.value) && (computed || kind === 'get' || kind === 'set'),
    share: 0.2,
    enough: 5,
    weight: 45,
    says: (hits) => `${hits} plain keys are in brackets or quotes, like \`['key']: 1\``,
  }),
  defineFeature('quoted keys', ['Property'], {
    count: ({ key, computed }) => isString(key) && !computed && isWord(key.value),
    share: 0.9,
    enough: 12,
    weight: 15,
    says: (_hits, percent) => `${percent} % of the keys are quoted without need`,
  }),
];
