import ts from 'typescript';

/** Sources that run in Node, as part of a program or of a client that embeds the runtime. */
export const CALLBACK_SOURCES = '{apps/{store,desktop,cli},packages/*}/src/**/*.ts';

/** Sources that run in a browser, where an error in a callback ends nothing. */
export const IN_BROWSERS =
  /^packages\/(?:ui\/src|runtime\/src\/(?:page\/client|panels\/(?:client|host)))\/|^packages\/runtime\/src\/panels\/frame-page\.ts/;

/** Files that may have bare callbacks, and why. */
export const CONTAINED: Readonly<Record<string, string>> = {
  'apps/store/src/adapters/picture/draw-process.ts': 'a process of its own: an error ends one drawing',
  'apps/store/src/adapters/sqlite/checkpoint-worker.ts': 'a thread of its own: the next check starts another',
  'apps/store/src/adapters/worker/inspection-worker.ts': 'a thread of its own: an error fails one upload',
  'apps/store/src/adapters/worker/render-worker.ts': 'a thread of its own: an error fails one text',
  'packages/runtime/src/programs/media-process.ts': 'a process of its own: an error fails one file',
  'packages/runtime/src/programs/supervise.ts': 'a process of its own: an error ends one connector',
  'packages/validator/src/pictures/svg.ts': 'a parser, which calls back within the call of its caller',
};

/** Single places that may be bare, and why. */
export const ALLOWED: Readonly<Record<string, string>> = {
  "apps/desktop/src/main.ts: process.on('event')": 'the last resort itself',
  "apps/store/src/main.ts: process.on('event')": 'the last resort itself',
  "apps/store/src/main.ts: process.on('warning')": 'the last resort itself',
  'apps/desktop/src/http/listen.ts: createServer without a listener for errors': '`listenAt` adds it',
  'packages/runtime/src/page/create-page-server.ts: createServer without a listener for errors':
    '`listenAt` adds it',
  'packages/runtime/src/panels/listen.ts: createServer without a listener for errors': '`listenAt` adds it',
  'apps/store/src/extensions/cli/downloads.ts: createReadStream without a listener for errors':
    'an iteration of a stream throws its errors',
  'apps/store/src/composition/serve.ts: request without a listener for errors':
    'Node emits errors of a request only where one listens',
};

/** A place whose error could end its process: what it is, in the words of `ALLOWED`, and its line. */
export type Bare = { what: string; line: number };

const TIMERS = new Set(['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'nextTick']);
const LISTENING = new Set([
  'on',
  'once',
  'addListener',
  'prependListener',
  'prependOnceListener',
  'addEventListener',
]);

/** What returns emitters of errors, by the module that exports it. */
const EMITTERS: Readonly<Record<string, readonly string[]>> = {
  'node:child_process': ['spawn', 'fork'],
  'node:worker_threads': ['Worker'],
  'node:net': ['Socket', 'connect', 'createConnection', 'createServer'],
  'node:tls': ['connect'],
  'node:http': ['request', 'createServer'],
  'node:https': ['request', 'createServer'],
  'node:fs': ['watch', 'createReadStream', 'createWriteStream'],
};

/** Calls that cannot throw: they settle a promise, or end something that is known to be there. */
const SETTLING = new Set(['resolve', 'reject', 'clearTimeout', 'clearInterval', 'destroy', 'exit', 'abort']);

/** Methods that return no promise, or catch its error: what `void` may call. */
const SYNCHRONOUS = new Set(['write', 'end', 'add', 'set', 'delete', 'kill', 'wait', 'catch', 'writeHead']);

/** The last name of a call: `b` of `a.b()`. */
function nameOf({ expression }: Call): string {
  if (ts.isIdentifier(expression)) return expression.text;
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : '';
}

const isFunction = (
  node: ts.Node,
): node is ts.ArrowFunction | ts.FunctionExpression | ts.FunctionDeclaration =>
  ts.isArrowFunction(node) || ts.isFunctionExpression(node) || ts.isFunctionDeclaration(node);

/** A value that is there: a name, a literal, a property of a name, a new error of such. */
function isValue(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node)) return ts.isIdentifier(node.expression);
  if (ts.isNewExpression(node)) return (node.arguments ?? []).every(isValue);
  if (ts.isPrefixUnaryExpression(node)) return isValue(node.operand);
  if (ts.isBinaryExpression(node)) return isValue(node.left) && isValue(node.right);
  if (ts.isConditionalExpression(node))
    return [node.condition, node.whenTrue, node.whenFalse].every((part) => isValue(part));
  return (
    ts.isIdentifier(node) ||
    ts.isLiteralExpression(node) ||
    node.kind === ts.SyntaxKind.TrueKeyword ||
    node.kind === ts.SyntaxKind.FalseKeyword ||
    node.kind === ts.SyntaxKind.NullKeyword
  );
}

/** A statement or an expression that cannot throw. */
function isHarmless(node: ts.Node): boolean {
  if (ts.isBlock(node)) return node.statements.every(isHarmless);
  if (ts.isExpressionStatement(node)) return isHarmless(node.expression);
  if (ts.isVoidExpression(node)) return isHarmless(node.expression);
  if (!ts.isCallExpression(node)) return isValue(node);
  const { expression, arguments: given } = node;
  const isDirect = ts.isIdentifier(expression) || isValue(expression);
  return isDirect && SETTLING.has(nameOf(node)) && given.every(isValue);
}

type Call = ts.CallExpression | ts.NewExpression;

/** What a source names and calls. */
type Source = {
  tree: ts.SourceFile;
  /** The value or the function of each name; of the variable of a loop, the list. */
  bound: Map<string, ts.Node>;
  /** The modules of the imported names. */
  imported: Map<string, string>;
  calls: Call[];
  voids: ts.VoidExpression[];
};

function collectImport({ importClause, moduleSpecifier }: ts.ImportDeclaration, { imported }: Source): void {
  const names = importClause?.namedBindings;
  if (!names || !ts.isNamedImports(names) || !ts.isStringLiteral(moduleSpecifier)) return;
  for (const { name } of names.elements) imported.set(name.text, moduleSpecifier.text);
}

function collectVariable(node: ts.VariableDeclaration, { bound }: Source): void {
  const { parent } = node.parent;
  const value = ts.isForOfStatement(parent) ? parent.expression : node.initializer;
  if (ts.isIdentifier(node.name) && value) bound.set(node.name.text, value);
}

function sourceOf(file: string, text: string): Source {
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const source: Source = { tree, bound: new Map(), imported: new Map(), calls: [], voids: [] };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) collectImport(node, source);
    if (ts.isVariableDeclaration(node)) collectVariable(node, source);
    if (ts.isFunctionDeclaration(node) && node.name) source.bound.set(node.name.text, node);
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) source.calls.push(node);
    if (ts.isVoidExpression(node)) source.voids.push(node);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return source;
}

/** Whether a callback is guarded, or cannot throw. */
function isSafe(callback: ts.Node | undefined, source: Source): boolean {
  if (callback === undefined) return false;
  if (ts.isCallExpression(callback)) return nameOf(callback) === 'guarded';
  if (isFunction(callback)) return callback.body !== undefined && isHarmless(callback.body);
  if (!ts.isIdentifier(callback)) return false;
  if (SETTLING.has(callback.text)) return true;
  const value = source.bound.get(callback.text);
  return value !== undefined && !ts.isIdentifier(value) && isSafe(value, source);
}

/** A listener that a call adds: to which emitters, for which event. */
type Listener = {
  call: ts.CallExpression;
  method: string;
  emitters: string[];
  event: string;
  callback: ts.Node;
};

/** The emitters of a chain of listeners: `a.b` of `a.b.on(…).on`; of the variable of a loop, also those of its list. */
function emittersOf(node: ts.Expression, source: Source): string[] {
  const { tree, bound } = source;
  if (
    ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    LISTENING.has(nameOf(node))
  )
    return emittersOf(node.expression.expression, source);
  const list = ts.isIdentifier(node) ? bound.get(node.text) : undefined;
  const members = list && ts.isArrayLiteralExpression(list) ? [...list.elements] : [];
  return [node, ...members].map((one) => one.getText(tree).replaceAll('?', ''));
}

function listenerOf(call: Call, source: Source): Listener | null {
  if (!ts.isCallExpression(call) || !ts.isPropertyAccessExpression(call.expression)) return null;
  const [event, callback] = call.arguments;
  const method = nameOf(call);
  if (!LISTENING.has(method) || !event || !callback) return null;
  // Methods of the same names that add no listeners, of query builders and routers.
  if (ts.isLiteralExpression(callback) || ts.isArrayLiteralExpression(callback)) return null;
  const name = ts.isStringLiteral(event) ? event.text : event.getText(source.tree);
  return { call, method, emitters: emittersOf(call.expression.expression, source), event: name, callback };
}

/** The timers with bare callbacks. */
const bareTimers = (source: Source): [ts.Node, string][] =>
  source.calls.flatMap((call): [ts.Node, string][] => {
    const name = nameOf(call);
    const isTimer = TIMERS.has(name) && source.imported.get(name) !== 'node:timers/promises';
    return isTimer && !isSafe(call.arguments?.[0], source) ? [[call, name]] : [];
  });

/** The bare listeners, and those that miss a second error. */
const bareListeners = (listeners: readonly Listener[], source: Source): [ts.Node, string][] =>
  listeners.flatMap(({ call, method, emitters: [emitter = ''], event, callback }): [ts.Node, string][] => {
    const isLost = method === 'once' && event === 'error';
    return isLost || !isSafe(callback, source) ? [[call, `${emitter}.${method}('${event}')`]] : [];
  });

/** The name or field that holds a new emitter; of one that is returned or handed over, the call itself. */
function holderOf(node: ts.Node, tree: ts.SourceFile): string {
  const { parent } = node;
  if (ts.isVariableDeclaration(parent)) return parent.name.getText(tree);
  return (ts.isBinaryExpression(parent) ? parent.left : node).getText(tree);
}

/** The emitters without a listener for errors. */
function unlistenedEmitters(
  listeners: readonly Listener[],
  { calls, imported, tree }: Source,
): [ts.Node, string][] {
  const withListener = new Set(
    listeners.flatMap(({ method, event, emitters }) =>
      event === 'error' && method !== 'once' ? emitters : [],
    ),
  );
  const made = calls.flatMap((call): [ts.Node, string, string][] => {
    const name = nameOf(call);
    const isEmitter = ts.isIdentifier(call.expression) && EMITTERS[imported.get(name) ?? '']?.includes(name);
    return isEmitter ? [[call, name, holderOf(call, tree)]] : [];
  });
  const read = listeners
    .filter(({ event }) => event === 'data')
    .map(({ call, emitters: [emitter = ''] }): [ts.Node, string, string] => [call, emitter, emitter]);
  return [...made, ...read]
    .filter(([, , emitter]) => !withListener.has(emitter))
    .map(([node, name]) => [node, `${name} without a listener for errors`]);
}

/** The promises whose errors `void` drops. */
const droppedPromises = ({ voids }: Source): [ts.Node, string][] =>
  voids.flatMap(({ expression }): [ts.Node, string][] =>
    ts.isCallExpression(expression) && !SYNCHRONOUS.has(nameOf(expression))
      ? [[expression, `void ${nameOf(expression)}`]]
      : [],
  );

/** The places of a source whose errors nothing catches. */
export function bareCallbacks(file: string, text: string): Bare[] {
  const source = sourceOf(file, text);
  const { tree } = source;
  const listeners = source.calls.flatMap((call) => listenerOf(call, source) ?? []);
  const found = [
    ...bareTimers(source),
    ...bareListeners(listeners, source),
    ...unlistenedEmitters(listeners, source),
    ...droppedPromises(source),
  ];
  return found.map(([node, what]) => ({
    what,
    line: tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1,
  }));
}
