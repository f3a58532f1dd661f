import type { AnyNode, CallExpression, Literal, NewExpression } from 'acorn';

const WORD = /^[A-Za-z_$][\w$]*$/;

/** Names that were not valid after a dot before ES5; old compilers still put them in brackets. */
const RESERVED: ReadonlySet<string> = new Set(
  'break case catch class const continue debugger default delete do else enum export extends false finally for function if import in instanceof new null return super switch this throw true try typeof var void while with yield'.split(
    ' ',
  ),
);

/** Whether a text is also valid as a name without quotes. */
export const isWord = (text: string): boolean => WORD.test(text) && !RESERVED.has(text);

type StringLiteral = Literal & { readonly value: string };
export type Call = CallExpression | NewExpression;

export const isString = (node: AnyNode | null | undefined): node is StringLiteral =>
  node?.type === 'Literal' && typeof node.value === 'string';

/** The text of a string literal, or of several added together; undefined for anything else. */
export function textOf(node: AnyNode): string | undefined {
  const parts: string[] = [];
  let left = node;
  while (left.type === 'BinaryExpression' && left.operator === '+' && isString(left.right)) {
    parts.push(left.right.value);
    left = left.left as AnyNode;
  }
  if (!isString(left)) return undefined;
  return [left.value, ...parts.reverse()].join('');
}

/** The source of a number without its sign: `0x1f` for `-0x1f`; undefined for any other expression. */
function numeralOf(node: AnyNode): string | undefined {
  if (node.type === 'UnaryExpression' && node.operator === '-') return numeralOf(node.argument);
  return node.type === 'Literal' && typeof node.value === 'number' ? node.raw : undefined;
}

/** The plain name of a callee: `eval` of `eval`, `window.eval`, `window['eval']` and `(0, eval)`. */
export function nameOf(node: AnyNode): string | undefined {
  if (node.type === 'Identifier') return node.name;
  if (node.type === 'SequenceExpression') {
    const last = node.expressions.at(-1);
    return last?.type === 'SequenceExpression' ? undefined : last && nameOf(last);
  }
  if (node.type !== 'MemberExpression') return undefined;
  if (node.computed) return textOf(node.property as AnyNode);
  return node.property.type === 'Identifier' ? node.property.name : undefined;
}

/** The object and the name of a method call such as `list.push(1)`; undefined for any other expression. */
export function methodOf(node: AnyNode): { readonly object: AnyNode; readonly name: string } | undefined {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return undefined;
  const name = nameOf(node.callee);
  return name === undefined ? undefined : { object: node.callee.object, name };
}

const HEX_NUMERAL = /^0x[0-9a-f]{1,3}$/;
const HEX_TEXT = /^-?0x[0-9a-f]{1,3}$/;
/** Maximum number of terms in a sum that hides an index. */
const MAX_TERMS = 8;

/** Whether an argument looks like the index of a lookup table: `0x1f`, `-0x1f`, `'0x1f'`, `0x1f + -0x3 * 0x2`. */
export function isHexIndex(node: AnyNode, depth = 0): boolean {
  if (node.type === 'BinaryExpression' && depth < MAX_TERMS) {
    return isHexIndex(node.left as AnyNode, depth + 1) || isHexIndex(node.right, depth + 1);
  }
  return isString(node) ? HEX_TEXT.test(node.value) : HEX_NUMERAL.test(numeralOf(node) ?? '');
}
