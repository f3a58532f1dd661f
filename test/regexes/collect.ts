import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';

/** A regular expression literal in a source file. */
export type Literal = {
  readonly file: string;
  readonly line: number;
  readonly source: string;
  readonly flags: string;
};
/** A place that builds a regular expression from a text; `from` is the source code of the text. */
export type Made = { readonly file: string; readonly line: number; readonly from: string };

const ROOT = join(import.meta.dirname, '..', '..');
const SOURCES = '{packages,apps,examples,testkit,scripts,tools}/**/*.{ts,tsx,js,mjs}';
const isOurs = (file: string): boolean => !/(?:^|\/)(?:node_modules|dist|test|\.vite)\//.test(file);

/** Methods of a string that interpret a text as a regular expression. */
const MATCHING = new Set(['match', 'matchAll', 'search']);

/** The text from which a call builds a regular expression; undefined for any other node. */
function madeFrom(node: ts.Node): ts.Expression | undefined {
  if (!ts.isNewExpression(node) && !ts.isCallExpression(node)) return undefined;
  const { expression, arguments: given } = node;
  const [first] = given ?? [];
  if (ts.isIdentifier(expression) && expression.text === 'RegExp') return first;
  const isMatching = ts.isPropertyAccessExpression(expression) && MATCHING.has(expression.name.text);
  return isMatching &&
    first !== undefined &&
    (ts.isStringLiteralLike(first) || ts.isTemplateExpression(first))
    ? first
    : undefined;
}

/** Collects every regular expression of the sources, without tests. */
export async function collectRegexes(): Promise<{ literals: Literal[]; made: Made[] }> {
  const literals: Literal[] = [];
  const made: Made[] = [];
  for await (const path of glob(SOURCES, { cwd: ROOT, exclude: (name) => name === 'node_modules' })) {
    const file = path.replaceAll('\\', '/');
    if (!isOurs(file)) continue;
    const tree = ts.createSourceFile(file, await readFile(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest);
    const lineOf = (node: ts.Node) => tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const end = node.text.lastIndexOf('/');
        literals.push({
          file,
          line: lineOf(node),
          source: node.text.slice(1, end),
          flags: node.text.slice(end + 1),
        });
      }
      const from = madeFrom(node);
      if (from !== undefined) made.push({ file, line: lineOf(node), from: from.getText(tree) });
      ts.forEachChild(node, visit);
    };
    visit(tree);
  }
  return { literals, made };
}
