import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..', '..');
const SOURCE = 'packages/runtime/src/panels/client/connect-panel.ts';
const TARGET = 'examples/pinboard/app/ui/connect-panel.js';

/** Compiles the panel side of the bridge for the example app, whose panel has no build step. */
export async function generatePanelClient(): Promise<Map<string, string>> {
  const { outputText } = ts.transpileModule(await readFile(join(ROOT, SOURCE), 'utf8'), {
    compilerOptions: {
      target: ts.ScriptTarget.ES2024,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
    },
  });
  return new Map([[TARGET, `// ${SOURCE}, compiled by \`npm run gen\`.\n${outputText}`]]);
}
