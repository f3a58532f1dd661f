import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** A file, from the root, with another text. */
type Changed = { file: string; text: string };

/** What ships, and its own types: without tests. */
const SOURCE = /\/(?:packages|apps)\/[^/]+\/src\//;

/** A program whose sources can be changed, and get copies beside them. */
function openService(root: string) {
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  const { tsBuildInfoFile: _none, ...others } = options;
  const settings = { ...others, noUnusedLocals: false, noUnusedParameters: false, incremental: false };
  const sources = fileNames.filter((name) => SOURCE.test(name));
  const changed = new Map<string, { text: string; version: number }>();
  let copies: string[] = [];
  let version = 0;
  const service = ts.createLanguageService({
    getCompilationSettings: () => ({ ...settings, declaration: true }),
    getScriptFileNames: () => [...sources, ...copies],
    getScriptVersion: (name) => String(changed.get(name)?.version ?? 0),
    getScriptSnapshot: (name) => {
      const text = changed.get(name)?.text ?? ts.sys.readFile(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => changed.has(name) || ts.sys.fileExists(name),
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
  const change = (name: string, text: string): void => {
    version += 1;
    changed.set(name, { text, version });
  };
  return {
    service,
    change,
    /** Sets the text of a source until the work is done. */
    during<T>(name: string, text: string, work: () => T): T {
      change(name, text);
      try {
        return work();
      } finally {
        change(name, readFileSync(name, 'utf8'));
      }
    },
    /** Puts copies of a source with other texts beside it. @returns their names */
    copy(name: string, texts: readonly string[]): readonly string[] {
      for (const one of copies) changed.delete(one);
      copies = texts.map((_, index) => name.replace(/\.ts$/, `.copy-${index}.ts`));
      copies.forEach((one, index) => {
        change(one, texts[index] ?? '');
      });
      return copies;
    },
  };
}

/**
 * Which changes of sources no longer type-check, in the file or in one that imports it. What is no longer used is no error here.
 * @param root the folder of the tsconfig.json, absolute
 */
export function refusedByTypes(root: string, changes: readonly Changed[]): ReadonlySet<Changed> {
  const { service, during, copy } = openService(root);
  const importers = importersOf(service);
  const isRefused = (name: string): boolean => service.getSemanticDiagnostics(name).length > 0;
  const declarationsOf = (name: string): string =>
    service
      .getEmitOutput(name, true, true)
      .outputFiles.map(({ text }) => text)
      .join('\n');

  const refusedIn = (name: string, ofFile: readonly Changed[]): Changed[] => {
    // Copies share one type checker, which takes longer to make than to check a file. The first is the source as it is.
    const [asItIs = '', ...names] = copy(name, [
      readFileSync(name, 'utf8'),
      ...ofFile.map(({ text }) => text),
    ]);
    const isCopied = !isRefused(asItIs);
    const declarations = declarationsOf(asItIs);
    const known = names.map((one) => isCopied && isRefused(one));
    // What a file declares is all that its importers read of it.
    const unlike = names.map(
      (one, index) => !known[index] && (!isCopied || declarationsOf(one) !== declarations),
    );
    copy(name, []);
    return ofFile.filter(({ text }, index) => {
      if (!unlike[index]) return known[index];
      return during(name, text, () => [name, ...(importers.get(name) ?? [])].some(isRefused));
    });
  };
  const byFile = Map.groupBy(changes, ({ file }) => join(root, file));
  return new Set([...byFile].flatMap(([name, ofFile]) => refusedIn(name, ofFile)));
}

/** The sources that import each source, tests left out. */
function importersOf(service: ts.LanguageService): ReadonlyMap<string, readonly string[]> {
  const program = service.getProgram();
  const importers = new Map<string, string[]>();
  for (const { fileName } of program?.getSourceFiles() ?? []) {
    if (!SOURCE.test(fileName)) continue;
    const { importedFiles } = ts.preProcessFile(ts.sys.readFile(fileName) ?? '');
    for (const { fileName: specifier } of importedFiles) {
      if (!specifier.startsWith('.')) continue;
      const imported = join(fileName, '..', specifier);
      importers.set(imported, [...(importers.get(imported) ?? []), fileName]);
    }
  }
  return importers;
}
