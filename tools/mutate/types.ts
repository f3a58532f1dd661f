import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** Types of a program whose sources can be changed one at a time. */
export type Types = {
  /** Whether a file, or one that imports it, no longer type-checks with this text. What is no longer used is no error here. */
  refuses(file: string, text: string): boolean;
};

/** What ships, and its own types: without tests. */
const SOURCE = /\/(?:packages|apps)\/[^/]+\/src\//;

/** Reads the program of a tsconfig.json, and holds it. @param root the folder of the tsconfig.json, absolute */
export function openTypes(root: string): Types {
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  const { tsBuildInfoFile: _none, ...others } = options;
  const settings = { ...others, noUnusedLocals: false, noUnusedParameters: false, incremental: false };
  const sources = fileNames.filter((name) => SOURCE.test(name));
  const changed = new Map<string, { text: string; version: number }>();
  let version = 0;
  const service = ts.createLanguageService({
    getCompilationSettings: () => settings,
    getScriptFileNames: () => sources,
    getScriptVersion: (name) => String(changed.get(name)?.version ?? 0),
    getScriptSnapshot: (name) => {
      const text = changed.get(name)?.text ?? ts.sys.readFile(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
  const importers = importersOf(service);
  const isRefused = (name: string): boolean => service.getSemanticDiagnostics(name).length > 0;

  return {
    refuses(file, text) {
      const name = join(root, file);
      version += 1;
      changed.set(name, { text, version });
      try {
        return isRefused(name) || (importers.get(name) ?? []).some(isRefused);
      } finally {
        version += 1;
        changed.set(name, { text: readFileSync(name, 'utf8'), version });
      }
    },
  };
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
