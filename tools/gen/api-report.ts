import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import path from 'node:path/posix';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..', '..');
const TSC = join(ROOT, 'node_modules/@typescript/native/bin/tsc');
const PACKAGE = 'packages/runtime';
const TARGET = `${PACKAGE}/api-report.txt`;

/** Where a name is declared: in a file of the package, or in another package. */
type Place = { file: string; name: string } | { outside: string; name: string };

type Module = {
  /** Declarations by name; overloads of a function have one. */
  own: Map<string, ts.Statement[]>;
  /** What names of other modules are called here, and what is exported under which name. */
  imports: Map<string, Place>;
  exports: Map<string, Place>;
  /** The modules of which everything is exported. */
  all: string[];
};

const printer = ts.createPrinter({ removeComments: true });

const printed = (statement: ts.Statement): string =>
  printer.printNode(ts.EmitHint.Unspecified, statement, statement.getSourceFile());

/** The file of a relative specifier; null for another package. */
const fileOf = (from: string, specifier: string): string | null =>
  specifier.startsWith('.') ? path.join(path.dirname(from), specifier.replace(/\.ts$/, '.d.ts')) : null;

function placeOf(from: string, specifier: string, name: string): Place {
  const file = fileOf(from, specifier);
  return file === null ? { outside: specifier, name } : { file, name };
}

const textOf = (node: ts.Expression | undefined): string =>
  node && ts.isStringLiteral(node) ? node.text : '';

/** The names that a statement declares. */
function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => (ts.isIdentifier(name) ? name.text : ''));
  const { name } = statement as { name?: ts.Node };
  return name && ts.isIdentifier(name) ? [name.text] : [];
}

function readImport(file: string, statement: ts.ImportDeclaration, { imports }: Module): void {
  const specifier = textOf(statement.moduleSpecifier);
  const { name, namedBindings } = statement.importClause ?? {};
  if (name) imports.set(name.text, placeOf(file, specifier, 'default'));
  if (!namedBindings) return;
  if (ts.isNamespaceImport(namedBindings))
    imports.set(namedBindings.name.text, { outside: specifier, name: '*' });
  else
    for (const one of namedBindings.elements)
      imports.set(one.name.text, placeOf(file, specifier, (one.propertyName ?? one.name).text));
}

function readExport(file: string, statement: ts.ExportDeclaration, module: Module): void {
  const specifier = statement.moduleSpecifier && textOf(statement.moduleSpecifier);
  if (!statement.exportClause) {
    const all = fileOf(file, specifier ?? '');
    if (all !== null) module.all.push(all);
    return;
  }
  if (!ts.isNamedExports(statement.exportClause)) return;
  for (const one of statement.exportClause.elements) {
    const name = (one.propertyName ?? one.name).text;
    const place = specifier === undefined ? { file, name } : placeOf(file, specifier, name);
    module.exports.set(one.name.text, place);
  }
}

function moduleOf(file: string, text: string): Module {
  const module: Module = { own: new Map(), imports: new Map(), exports: new Map(), all: [] };
  for (const statement of ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true).statements) {
    if (ts.isImportDeclaration(statement)) readImport(file, statement, module);
    else if (ts.isExportDeclaration(statement)) readExport(file, statement, module);
    else
      for (const name of namesOf(statement)) {
        module.own.set(name, [...(module.own.get(name) ?? []), statement]);
        const isPublic =
          ts.canHaveModifiers(statement) &&
          ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
        if (isPublic) module.exports.set(name, { file, name });
      }
  }
  return module;
}

/** All names that a declaration may mean: identifiers, and parts of other modules that it imports in place. */
function* referencesIn(file: string, node: ts.Node): Generator<string | Place> {
  if (ts.isIdentifier(node)) yield node.text;
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    const name = node.qualifier?.getText().split('.')[0];
    if (name !== undefined) yield placeOf(file, textOf(node.argument.literal as ts.Expression), name);
  }
  for (const child of node.getChildren()) yield* referencesIn(file, child);
}

/**
 * The surface of a package: the names of each entry, and every declaration that they mean, without comments, also those that are not exported
 * themselves but that a type of an entry holds.
 * @param files declarations (`.d.ts`) by path
 * @param entries the files of the entries by name
 */
export function surfaceOf(files: ReadonlyMap<string, string>, entries: ReadonlyMap<string, string>): string {
  const modules = new Map([...files].map(([file, text]) => [file, moduleOf(file, text)]));
  const exportsOf = (file: string): [string, Place][] => {
    const { exports, all } = modules.get(file) ?? { exports: new Map<string, Place>(), all: [] };
    return [...all.flatMap(exportsOf), ...exports];
  };
  /** Where a name is declared, through the modules that pass it on. */
  const resolve = (place: Place): Place => {
    if ('outside' in place) return place;
    const module = modules.get(place.file);
    if (!module || module.own.has(place.name)) return place;
    const next = module.imports.get(place.name) ?? new Map(exportsOf(place.file)).get(place.name);
    return next ? resolve(next) : place;
  };
  const found = new Map<string, Map<string, string>>();
  /** Keeps a declaration. @returns what it means, where it was not known */
  function keep({ file, name }: { file: string; name: string }): Place[] {
    const known = found.get(file) ?? new Map<string, string>();
    found.set(file, known);
    const { own, imports } = modules.get(file) ?? {
      own: new Map<string, ts.Statement[]>(),
      imports: new Map<string, Place>(),
    };
    const statements = own.get(name) ?? [];
    if (known.has(name)) return [];
    known.set(name, statements.map(printed).join('\n'));
    const here = (text: string): Place[] => {
      const imported = imports.get(text);
      return own.has(text) ? [{ file, name: text }] : imported ? [imported] : [];
    };
    return statements
      .flatMap((statement) => [...referencesIn(file, statement)])
      .flatMap((reference) => (typeof reference === 'string' ? here(reference) : [reference]));
  }
  function follow(given: Place): void {
    const place = resolve(given);
    if (!('outside' in place)) for (const next of keep(place)) follow(next);
  }
  const lines: string[] = [];
  const sorted = <T>(map: Iterable<[string, T]>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [entry, file] of sorted(entries)) {
    lines.push(`# ${entry}`, '');
    for (const [name, place] of sorted(new Map(exportsOf(file)))) {
      const from = resolve(place);
      follow(from);
      lines.push('outside' in from ? `${name} (${from.outside})` : `${name} (${from.file})`);
    }
    lines.push('');
  }
  for (const [file, declared] of sorted(found)) {
    const texts = sorted(declared).map(([, text]) => text);
    lines.push(`# ${file}`, '', ...new Set(texts), '');
  }
  return lines.join('\n');
}

/** Emits the declarations of the package. */
function declarations(): Map<string, string> {
  const cache = join(ROOT, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, 'api-'));
  try {
    const compilerOptions = {
      ...{ noEmit: false, noCheck: true, incremental: false, tsBuildInfoFile: null },
      ...{ declaration: true, emitDeclarationOnly: true, rootDir: ROOT, outDir: './out' },
    };
    const include = [join(ROOT, PACKAGE, 'src')];
    const config = { extends: join(ROOT, 'tsconfig.json'), include, exclude: [], compilerOptions };
    writeFileSync(join(work, 'tsconfig.json'), JSON.stringify(config));
    const { status } = spawnSync(process.execPath, [TSC, '-p', work], { stdio: ['ignore', 2, 2] });
    if (status !== 0) throw new Error('The declarations of the runtime cannot be emitted.');
    const folder = join(work, 'out', PACKAGE);
    const files = globSync('src/**/*.d.ts', { cwd: folder }).map((file) => file.replaceAll('\\', '/'));
    return new Map(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The public surface of the runtime, so that no change of it goes unseen. */
export async function generateApiReport(): Promise<Map<string, string>> {
  const manifest = JSON.parse(readFileSync(join(ROOT, PACKAGE, 'package.json'), 'utf8')) as {
    exports: Record<string, string>;
  };
  const entries = Object.entries(manifest.exports).map(([name, file]): [string, string] => [
    path.join('@svc/runtime', name),
    path.join(file.replace(/\.ts$/, '.d.ts')),
  ]);
  const intro = 'The public surface of @svc/runtime, without comments; `npm run gen` writes it.\n\n';
  return new Map([[TARGET, intro + surfaceOf(declarations(), new Map(entries))]]);
}
