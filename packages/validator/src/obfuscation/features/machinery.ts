import type {
  AnonymousFunctionDeclaration,
  AnyNode,
  AssignmentExpression,
  AssignmentProperty,
  BinaryExpression,
  CallExpression,
  ForStatement,
  FunctionDeclaration,
  Property,
  WhileStatement,
} from 'acorn';
import { defineFeature } from '../feature.ts';
import { isHexIndex, isString, methodOf, nameOf } from '../nodes.ts';

/** One term of the sum that detects whether a table is fully rotated: `-parseInt(f(0x1a)) / 0x1`. */
function isChecksumTerm({ operator, left }: BinaryExpression): boolean {
  if (operator !== '/') return false;
  const value = left.type === 'UnaryExpression' ? left.argument : left;
  if (value.type !== 'CallExpression' || nameOf(value.callee as AnyNode) !== 'parseInt') return false;
  const [looked] = value.arguments;
  return (
    looked?.type === 'CallExpression' &&
    looked.callee.type === 'Identifier' &&
    looked.arguments.some((argument) => isHexIndex(argument))
  );
}

/** `list.push(list.shift())` */
function turnsList(node: CallExpression): boolean {
  const push = methodOf(node);
  const [argument] = node.arguments;
  if (push?.name !== 'push' || argument === undefined) return false;
  const shift = methodOf(argument);
  return shift?.name === 'shift' && isSameName(shift.object, push.object);
}

const isSameName = (one: AnyNode, other: AnyNode): boolean =>
  one.type === 'Identifier' && other.type === 'Identifier' && one.name === other.name;

/** `function f() { const list = ['…']; f = function () { return list; }; return f(); }`, and its shorter forms. */
function hidesTable({ id, params, body }: FunctionDeclaration | AnonymousFunctionDeclaration): boolean {
  const [table, swap] = body.body;
  if (params.length > 0 || table?.type !== 'VariableDeclaration') return false;
  const [list] = table.declarations;
  const swapped = swapIn(swap);
  return (
    list?.init?.type === 'ArrayExpression' &&
    list.init.elements.some(isString) &&
    swapped?.left.type === 'Identifier' &&
    swapped.left.name === id?.name
  );
}

function swapIn(node: AnyNode | undefined): AssignmentExpression | undefined {
  let value: AnyNode | null | undefined;
  if (node?.type === 'ExpressionStatement') value = node.expression;
  if (node?.type === 'ReturnStatement') value = node.argument;
  if (value?.type === 'SequenceExpression') value = value.expressions[0];
  if (value?.type === 'CallExpression') value = value.callee as AnyNode;
  return value?.type === 'AssignmentExpression' ? value : undefined;
}

/** Maximum length of a list of statements that is checked for an order. */
const MAX_STEPS = 1_000;

/** `'2|0|1'.split('|')` */
function listsOrder(node: CallExpression): boolean {
  const split = methodOf(node);
  if (split?.name !== 'split' || !isString(split.object)) return false;
  const steps = split.object.value.split('|');
  if (steps.length < 3 || steps.length > MAX_STEPS || new Set(steps).size < steps.length) return false;
  return steps.every((step) => /^\d+$/.test(step) && Number(step) < steps.length);
}

/** `while (state !== 7) switch (state) { case 3: …; state = 5; break; … }` */
function runsStates({ test, body }: WhileStatement | ForStatement): boolean {
  if (test?.type !== 'BinaryExpression' || !/^[!=]==?$/.test(test.operator)) return false;
  const only = body.type === 'BlockStatement' && body.body.length === 1 ? body.body[0] : body;
  if (only?.type !== 'SwitchStatement' || only.cases.length < 3) return false;
  const isState = isSameName(only.discriminant, test.left as AnyNode);
  return isState && only.cases.every((branch) => branch.test?.type === 'Literal');
}

/** A member that is a function for one operator or one call: `'aBcDe': function (a, b) { return a + b; }` */
function isProxy({ value }: Property | AssignmentProperty): boolean {
  if (value.type !== 'FunctionExpression' || value.params.length === 0) return false;
  const [only] = value.body.body;
  if (value.body.body.length !== 1 || only?.type !== 'ReturnStatement') return false;
  const names = new Set(value.params.map((param) => (param.type === 'Identifier' ? param.name : undefined)));
  const isParam = (node: AnyNode): boolean => node.type === 'Identifier' && names.has(node.name);
  const result = only.argument;
  if (result?.type === 'BinaryExpression' || result?.type === 'LogicalExpression') {
    return isParam(result.left as AnyNode) && isParam(result.right);
  }
  return (
    result?.type === 'CallExpression' && isParam(result.callee as AnyNode) && result.arguments.every(isParam)
  );
}

/** A pattern that hangs on formatted code; the debugger called by a split name; the global object obtained from a string. */
const SELF_DEFENCE =
  /^\(\(\(\.\+\)\+\)\+\)\+\$$|^debu$|^gger$|^\{\}\.constructor\("return this"\)\( ?\)$|^while \(true\) \{\}$|^function \*\\\( \*\\\)$/;

/** Code that only serves to hide other code. A minifier moves code, but never adds code that runs. */
export const machineryFeatures = [
  defineFeature('checksum', ['BinaryExpression'], {
    count: isChecksumTerm,
    enough: 2,
    weight: 80,
    says: () => 'a string table is rotated at load until a checksum matches',
  }),
  defineFeature('turned list', ['CallExpression'], {
    count: turnsList,
    enough: 1,
    weight: 25,
    says: () => 'a list is rotated at load',
  }),
  defineFeature('hidden table', ['FunctionDeclaration'], {
    count: hidesTable,
    enough: 1,
    weight: 50,
    says: () => 'a string table is hidden in a function that replaces itself',
  }),
  defineFeature('order in a text', ['CallExpression'], {
    count: listsOrder,
    enough: 1,
    weight: 60,
    says: (hits) => `${hits} strings like \`'2|0|1'\` control the order of statements`,
  }),
  defineFeature('state machine', ['WhileStatement', 'ForStatement'], {
    count: runsStates,
    enough: 2,
    weight: 45,
    says: (hits) => `${hits} loops select statements by numbers (control-flow flattening)`,
  }),
  defineFeature('proxies', ['Property'], {
    count: isProxy,
    share: 0.05,
    enough: 6,
    weight: 45,
    says: (hits) => `${hits} functions only wrap an operator or a call`,
  }),
  defineFeature('fixed conditions', ['BinaryExpression'], {
    count: ({ operator, left, right }) =>
      /^[!=]==?$/.test(operator) && isString(left as AnyNode) && isString(right),
    enough: 4,
    weight: 40,
    says: (hits) => `${hits} conditions compare two constant strings`,
  }),
  defineFeature('self-defence', ['Literal'], {
    count: ({ value }) => typeof value === 'string' && value.length < 100 && SELF_DEFENCE.test(value),
    enough: 2,
    weight: 70,
    says: () => 'it tries to prevent reading or debugging',
  }),
  defineFeature('unpacked arguments', ['VariableDeclarator'], {
    count: ({ id, init }) =>
      id.type === 'ArrayPattern' && init?.type === 'Identifier' && init.name === 'arguments',
    enough: 2,
    weight: 40,
    says: (hits) => `${hits} functions hide their parameters`,
  }),
];
