import type { AnyNode } from 'acorn';
import { defineFeature } from '../feature.ts';
import { type Call, isString, methodOf, nameOf, textOf } from '../nodes.ts';

const EVALUATORS: ReadonlySet<string> = new Set(['eval', 'Function', 'execScript', 'constructor']);
/** They run text, or make the page run it, but also have legitimate uses with text. */
const WRITERS: ReadonlySet<string> = new Set(['setTimeout', 'setInterval', 'write', 'writeln']);
const DECODERS: ReadonlySet<string> = new Set([
  'atob',
  'unescape',
  'decodeURIComponent',
  'decodeURI',
  'fromCharCode',
  'fromCodePoint',
]);
/** Methods that put the pieces of a text together. */
const JOINERS: ReadonlySet<string> = new Set([
  'apply',
  'call',
  'concat',
  'join',
  'map',
  'reduce',
  'replace',
  'reverse',
  'slice',
  'split',
  'toString',
]);

/** `function`, `return`, `const`, `document` and `window`, reversed. */
const REVERSED = /noitcnuf|nruter|tsnoc |tnemucod|wodniw/g;

/** Maximum depth to which an argument is inspected. */
const DEPTH = 6;
/** Minimum numbers of characters or elements; a shorter value may be a name or a phrase. */
const LONG = 20;
const LONG_PROGRAM = 300;
const LONG_SECRET = 100;

/** The arguments of a call to one of these functions; empty for any other call. */
function argumentsTo(names: ReadonlySet<string>, { callee, arguments: given }: Call): readonly AnyNode[] {
  const name = nameOf(callee as AnyNode);
  return name !== undefined && names.has(name) ? given : [];
}

/** Whether an expression is decoded text: `atob(x)`, `a + unescape(b)`, `String.fromCharCode.apply(null, list)`. */
function isDecoded(node: AnyNode, depth = 0): boolean {
  if (depth > DEPTH) return false;
  if (node.type === 'BinaryExpression' && node.operator === '+') {
    return isDecoded(node.left as AnyNode, depth + 1) || isDecoded(node.right, depth + 1);
  }
  if (node.type === 'ArrowFunctionExpression') return isDecoded(node.body, depth + 1);
  if (node.type !== 'CallExpression') return false;
  if (DECODERS.has(nameOf(node.callee as AnyNode) ?? '')) return true;
  const method = methodOf(node);
  if (method !== undefined && JOINERS.has(method.name)) {
    if (DECODERS.has(nameOf(method.object) ?? '') || isDecoded(method.object, depth + 1)) return true;
  }
  return node.arguments.some((argument) => isDecoded(argument, depth + 1));
}

/** Whether an expression is put together from a long text or list: `'…'.split('').reverse().join('')`. */
function isUnravelled(node: AnyNode): boolean {
  let at = node;
  for (let depth = 0; depth < DEPTH; depth += 1) {
    const method = methodOf(at);
    if (method === undefined || !JOINERS.has(method.name)) break;
    at = method.object;
  }
  if (at.type === 'ArrayExpression') return at.elements.length > LONG;
  return at !== node && isString(at) && at.value.length > LONG;
}

const isCalledFunction = (node: AnyNode): boolean =>
  node.type === 'CallExpression' &&
  (node.callee.type === 'FunctionExpression' || node.callee.type === 'ArrowFunctionExpression');

/** Text that is run as code. A minifier never produces it. */
export const evaluationFeatures = [
  defineFeature('decoded and run', ['CallExpression', 'NewExpression'], {
    count: (node) =>
      argumentsTo(EVALUATORS, node).some((argument) => isDecoded(argument) || isUnravelled(argument)),
    enough: 1,
    weight: 100,
    says: () => 'it decodes text and runs it',
  }),
  defineFeature('decoded and written', ['CallExpression', 'NewExpression'], {
    count: (node) => argumentsTo(WRITERS, node).some((argument) => isDecoded(argument)),
    enough: 1,
    weight: 40,
    says: () => 'it decodes text and writes it into the page',
  }),
  defineFeature('packed', ['CallExpression', 'NewExpression'], {
    count: (node) => argumentsTo(EVALUATORS, node).some(isCalledFunction),
    enough: 1,
    weight: 100,
    says: () => 'it unpacks code and runs it',
  }),
  defineFeature('program in a text', ['CallExpression', 'NewExpression'], {
    count: (node) =>
      argumentsTo(EVALUATORS, node).some((argument) => (textOf(argument)?.length ?? 0) >= LONG_PROGRAM),
    enough: 1,
    weight: 30,
    says: () => 'a string contains a program',
  }),
  defineFeature('run variable', ['CallExpression', 'NewExpression'], {
    count: (node) => argumentsTo(EVALUATORS, node).some(({ type }) => type === 'Identifier'),
    enough: 1,
    weight: 20,
    says: () => 'it runs the text of a variable',
  }),
  defineFeature('encoded text', ['CallExpression', 'NewExpression'], {
    count: (node) =>
      argumentsTo(DECODERS, node).some(
        (argument) => isString(argument) && argument.value.length >= LONG_SECRET,
      ),
    enough: 1,
    weight: 40,
    says: (hits) => `${hits} long strings are encoded`,
  }),
  defineFeature('reversed program', ['Literal'], {
    count: ({ value }) => (typeof value === 'string' ? (value.match(REVERSED)?.length ?? 0) : 0),
    enough: 3,
    weight: 60,
    says: (hits) => `${hits} keywords are reversed in strings`,
  }),
];
