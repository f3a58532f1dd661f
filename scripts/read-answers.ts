import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { CALLBACK_SOURCES, IN_BROWSERS } from './callbacks.ts';

/** Methods of a response that read its body without a limit (Fetch standard, "Body mixin"). */
const UNBOUNDED = new Set(['json', 'text', 'arrayBuffer', 'blob', 'bytes', 'formData']);

/** The reader, and sources whose bodies are no answers of a peer or are bounded otherwise, and why. */
export const READERS: Readonly<Record<string, string>> = {
  'packages/runtime/src/network/read-answer.ts': 'the reader itself',
  'apps/cli/src/io/read-bounded.ts': 'the reader of the command line, which does not load the runtime',
  'apps/desktop/src/chat/list-models.ts': '`fetchUpTo` bounds the body',
  'apps/store/src/adapters/s3/s3-client.ts': 'a bounded reader of texts of S3',
  'apps/store/src/composition/commands/drill.ts': 'a store that the command starts itself',
  'apps/store/src/core/domain/versions/review-bundle.ts': 'a blob of the store, whose size was checked',
  'apps/store/src/core/catalog/file-memory.ts': 'a blob of the store, whose size was checked',
  'apps/store/src/core/pictures/rasters.ts': 'a blob of the store, whose size was checked',
  'apps/store/src/http/parse.ts': 'the bounded reader of requests',
};

/** A place that reads a body: what it does, and its line. */
export type Reading = { what: string; line: number };

/** Whether an expression is the body of a message: `answer.body`, `(await fetch(url)).body`. */
const isBody = (node: ts.Node): boolean =>
  ts.isPropertyAccessExpression(node) && node.name.text === 'body' && !isOfRequest(node.expression);

/** Bodies of requests are those that a server receives: it has limits of its own. */
const isOfRequest = (node: ts.Node): boolean => /(?:^|\.)(?:req|request|init|raw)$/.test(node.getText());

/** The places of a source that read a body by themselves: with a method that has no limit, or piece by piece. */
export function bodyReadings(file: string, text: string): Reading[] {
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Reading[] = [];
  const add = (node: ts.Node, what: string) =>
    found.push({ what, line: tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1 });
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { expression: of, name } = node.expression;
      if (node.arguments.length === 0 && UNBOUNDED.has(name.text) && !isOfRequest(of) && of.getText() !== 'z')
        add(node, `.${name.text}()`);
      if (name.text === 'getReader' && isBody(of)) add(node, '.body.getReader()');
    }
    if (ts.isForOfStatement(node) && node.awaitModifier && node.expression.getText().includes('.body'))
      add(node, 'for await (… of .body)');
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/** All readings of the programs and the packages. */
export function allReadings(root: string): (Reading & { file: string })[] {
  return globSync(CALLBACK_SOURCES, { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !IN_BROWSERS.test(file))
    .sort()
    .flatMap((file) =>
      bodyReadings(file, readFileSync(join(root, file), 'utf8')).map((reading) => ({ file, ...reading })),
    );
}

/** What is wrong, as sentences: readings outside of `READERS`, and exceptions without a use. */
export function faultsIn(found: readonly (Reading & { file: string })[]): string[] {
  const unknown = found.filter(({ file }) => READERS[file] === undefined);
  const unused = Object.keys(READERS).filter((file) => !found.some((reading) => reading.file === file));
  return [
    ...unknown.map(
      ({ file, line, what }) =>
        `${file}:${line} ${what}: read answers with \`bytesOf\` or \`jsonOf\` of @svc/runtime/read-answer, which are bounded`,
    ),
    ...unused.map((file) => `${file}: an exception of scripts/read-answers.ts without a use`),
  ];
}

if (import.meta.main) {
  const faults = faultsIn(allReadings(fileURLToPath(new URL('..', import.meta.url))));
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
