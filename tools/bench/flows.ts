import { globSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { Figure } from './lib/figure.ts';

const ROOT = join(import.meta.dirname, '../..');
const STORE = 'apps/store/src/';

/** The flows: the file and the function in which each begins. */
const FLOWS = [
  { what: 'from an upload to its listing', file: 'features/publishing/routes.ts', start: 'publishRoute' },
  {
    what: 'from the response of a sign-in provider to a session',
    file: 'features/people/ceremony-routes.ts',
    start: 'endProviderSignIn',
  },
];

/** Queries and helpers whose name says what they do: a reader need not open them. */
const NOT_READ = /\/platform\/|-store\.ts$|\/(?:audit-log|blob-ledger)\.ts$/;

const bodyOf = (found: ts.Node): ts.Node | undefined => {
  if (ts.isFunctionDeclaration(found) || ts.isMethodDeclaration(found)) return found.body;
  return ts.isVariableDeclaration(found) || ts.isPropertyAssignment(found) ? found.initializer : undefined;
};

/** The declarations that an identifier leads to, as *go to definition* finds them. */
function definitionsOf(checker: ts.TypeChecker, name: ts.Identifier): ts.Declaration[] {
  const symbol = ts.isShorthandPropertyAssignment(name.parent)
    ? checker.getShorthandAssignmentValueSymbol(name.parent)
    : checker.getSymbolAtLocation(name);
  const target = symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  return (target?.declarations ?? []).flatMap((found) => {
    if (!ts.isBindingElement(found)) return [found];
    const property = (found.propertyName ?? found.name).getText();
    return checker.getTypeAtLocation(found.parent).getProperty(property)?.declarations ?? [];
  });
}

/** The files of the store with a function that a function calls, directly or through others. */
function filesFrom(program: ts.Program, file: string, start: string): Set<string> {
  const checker = program.getTypeChecker();
  const seen = new Set<ts.Node>();
  const files = new Set<string>();
  const follow = (found: ts.Declaration): void => {
    const path = found.getSourceFile().fileName.slice(ROOT.length + 1);
    const body = bodyOf(found);
    if (!path.startsWith(STORE) || !body || seen.has(found)) return;
    if (checker.getTypeAtLocation(found).getCallSignatures().length === 0) return;
    seen.add(found);
    files.add(path);
    if (!path.endsWith('-store.ts')) visit(body);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return;
    if (ts.isIdentifier(node)) definitionsOf(checker, node).forEach(follow);
    node.forEachChild(visit);
  };
  const find = (node: ts.Node): void => {
    if ((ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node)) && node.name.getText() === start)
      follow(node);
    node.forEachChild(find);
  };
  const source = program.getSourceFile(join(ROOT, STORE, file));
  if (source) find(source);
  return files;
}

/** How many files of the store a reader follows through a flow. */
export function flows(): Figure[] {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, ROOT);
  const sources = globSync('apps/store/src/**/*.ts', { cwd: ROOT }).map((path) => join(ROOT, path));
  const program = ts.createProgram(sources, options);
  return FLOWS.map(({ what, file, start }) => {
    const files = [...filesFrom(program, file, start)];
    const read = files.filter((path) => !NOT_READ.test(path));
    return {
      name: `Files of the store to read ${what}, by go to definition, without queries and platform/`,
      measured: `${files.length} with them`,
      value: read.length,
      unit: ' files',
      bound: { most: 25 },
    };
  });
}
