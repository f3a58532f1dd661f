import ts from 'typescript';

/** A change of a source that a test should notice. */
export type Mutant = {
  /** Where the change begins, in UTF-16 code units. */
  start: number;
  /** Where the code is that runs with it: an operator has an effect also where its right side does not run. */
  runs: number;
  line: number;
  /** The whole line, trimmed. */
  code: string;
  was: string;
  becomes: string;
  text: string;
};

type Edit = { node: ts.Node; becomes: string };

const OPERATORS: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
]);

const METHODS: ReadonlyMap<string, string> = new Map([
  ['every', 'some'],
  ['some', 'every'],
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
  ['min', 'max'],
  ['max', 'min'],
]);

/** Words for people, which tests compare only where they matter. */
const isMessage = (node: ts.Node): boolean =>
  ts.isNewExpression(node.parent) || ts.isTemplateSpan(node.parent) || ts.isThrowStatement(node.parent);

/** Lines of the log, for operators. */
const isLogged = ({ parent }: ts.Node): boolean =>
  ts.isCallExpression(parent) && /\blog\.(?:info|warn|error)$/.test(parent.expression.getText());

/** A string that the program uses as a value: no name of a property, module or type. */
const isValue = (node: ts.StringLiteral): boolean =>
  node.text !== '' &&
  !isMessage(node) &&
  !isLogged(node) &&
  (ts.isCallExpression(node.parent) ||
    ts.isBinaryExpression(node.parent) ||
    ts.isArrayLiteralExpression(node.parent));

/** Whether a statement only has an effect, so that it can be left out. */
const isEffect = (node: ts.Node): node is ts.ExpressionStatement =>
  ts.isExpressionStatement(node) &&
  (ts.isCallExpression(node.expression) || ts.isAwaitExpression(node.expression));

/** The edits of a keyword or an expression that has one other form. */
function replacementOf(node: ts.Node): Edit | undefined {
  if (node.kind === ts.SyntaxKind.TrueKeyword) return { node, becomes: 'false' };
  if (node.kind === ts.SyntaxKind.FalseKeyword) return { node, becomes: 'true' };
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    return { node, becomes: node.operand.getText() };
  if (isEffect(node)) return { node, becomes: ';' };
  return ts.isStringLiteral(node) && isValue(node) ? { node, becomes: "''" } : undefined;
}

/** Methods that leave rows or elements out. */
const FILTERS: ReadonlySet<string> = new Set(['where', 'whereRef', 'having', 'filter']);

/** Whether an object is what a function returns, or a part of it. */
function isReturned(node: ts.ObjectLiteralExpression): boolean {
  let { parent } = node as ts.Node;
  while (
    ts.isParenthesizedExpression(parent) ||
    ts.isConditionalExpression(parent) ||
    ts.isObjectLiteralExpression(parent) ||
    ts.isPropertyAssignment(parent) ||
    ts.isArrayLiteralExpression(parent) ||
    ts.isAsExpression(parent) ||
    ts.isSatisfiesExpression(parent)
  )
    parent = parent.parent;
  return ts.isReturnStatement(parent) || ts.isArrowFunction(parent);
}

/** What can be taken away whole: an operand of a condition, a field of what is returned, a filter of a query or a list. */
function removalsOf(node: ts.Node): Edit[] {
  if (ts.isBinaryExpression(node) && OPERANDS.has(node.operatorToken.kind))
    return [node.left, node.right].map((rest) => ({ node, becomes: rest.getText() }));
  if (ts.isObjectLiteralExpression(node) && isReturned(node) && node.properties.length > 1)
    return node.properties.map((field) => ({ node: field, becomes: '...{}' }));
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const { name, expression } = node.expression;
    if (FILTERS.has(name.text)) return [{ node, becomes: expression.getText() }];
  }
  return [];
}

const OPERANDS: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
]);

function editsOf(node: ts.Node): Edit[] {
  const renamed = (name: ts.Node, becomes: string | undefined): Edit[] =>
    becomes === undefined ? [] : [{ node: name, becomes }];
  if (ts.isBinaryExpression(node)) return renamed(node.operatorToken, OPERATORS.get(node.operatorToken.kind));
  if (ts.isPropertyAccessExpression(node)) return renamed(node.name, METHODS.get(node.name.text));
  if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
    const condition = ts.isIfStatement(node) ? node.expression : node.condition;
    return ['true', 'false'].map((becomes) => ({ node: condition, becomes }));
  }
  const edit = replacementOf(node);
  return edit ? [edit] : [];
}

/**
 * All mutants of a source: conditions decided, comparisons and logic turned, calls for an effect and strings left out; or, with
 * `removals`, only what can be taken away whole.
 */
export function mutantsOf(source: string, { removals = false } = {}): Mutant[] {
  const file = ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true);
  const lines = source.split('\n');
  const found: Mutant[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    for (const { node: at, becomes } of removals ? removalsOf(node) : editsOf(node)) {
      const start = at.getStart();
      const { line } = file.getLineAndCharacterOfPosition(start);
      found.push({
        start,
        runs: ts.isBinaryExpression(node) ? node.getStart() : start,
        line: line + 1,
        code: (lines[line] ?? '').trim(),
        was: at.getText(),
        becomes,
        text: source.slice(0, start) + becomes + source.slice(at.end),
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}
