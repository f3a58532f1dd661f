import { globSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { Figure } from './lib/figure.ts';

const ROOT = join(import.meta.dirname, '../..');

/**
 * Sources whose files count, and those of them with queries and helpers whose name says what they do: a reader need not open these. Nor
 * does one open files of which a flow uses pure functions alone (`findsPure`).
 */
const SIDES = {
  store: {
    folders: ['apps/store/src/'],
    notRead: /\/platform\/|-store\.ts$|\/(?:audit-log|blob-ledger)\.ts$/,
    without: 'queries, pure functions and platform/',
  },
  client: {
    folders: ['apps/desktop/src/', 'packages/runtime/src/'],
    notRead:
      /\/(?:platform|http|events|network|lenient)\/|-(?:database|tables?|storage)\.ts$|\/(?:secrets|fault|kept-file)\.ts$/,
    without: 'queries, pure functions, platform/, network/ and lenient/',
  },
};

/** The flows: the files and the functions in which each begins, and goes on where a definition is only a type. */
const FLOWS = [
  {
    side: 'store',
    what: 'from an upload to its listing',
    starts: {
      'apps/store/src/core/publishing/routes.ts': 'publishRoute',
      'apps/store/src/adapters/worker/worker-inspector.ts': 'createWorkerInspector',
      'apps/store/src/adapters/worker/inspection-worker.ts': 'inspect',
      'apps/store/src/core/publishing/open-bundle.ts': 'openUpload',
    },
  },
  {
    side: 'store',
    what: 'from the approval of a moderator to the listing',
    starts: { 'apps/store/src/core/moderation/routes.ts': 'approve' },
  },
  {
    side: 'store',
    what: 'from a yank to the signed list',
    starts: {
      'apps/store/src/core/publishing/routes.ts': 'yank',
      'apps/store/src/core/revocations/revocation-list.ts': 'createRevocationList',
      'apps/store/src/core/revocations/routes.ts': 'createPages',
    },
  },
  {
    side: 'store',
    what: 'from the response of a sign-in provider to a session',
    starts: { 'apps/store/src/core/people/ceremony-routes.ts': 'endProviderSignIn' },
  },
  {
    side: 'client',
    what: 'from a call of the chat’s model to the server of an app and back',
    starts: {
      'apps/desktop/src/chat/turn.ts': 'runRows',
      'apps/desktop/src/calls/create-call.ts': 'createCall',
      'packages/runtime/src/calls/call-tool.ts': 'callTool',
      'packages/runtime/src/calls/sessions.ts': 'openSession',
      'packages/runtime/src/calls/operations.ts': 'operationsOf',
      'packages/runtime/src/calls/use-server.ts': 'createWithAccount',
    },
  },
  {
    side: 'client',
    what: 'from an install sheet to the installed app',
    starts: {
      'apps/desktop/src/page-api/store.ts': 'storeCalls',
      'packages/runtime/src/install/installer.ts': 'createInstaller',
      'packages/runtime/src/install/heads.ts': 'createHeads',
      'packages/runtime/src/store/store-reader.ts': 'createStoreReader',
      'packages/runtime/src/store/store-keys.ts': 'createStoreKeys',
    },
  },
] as const;

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

/** Libraries without state and effects: the language, texts and contracts, hashes, paths and media types. */
const PURE_LIBRARIES =
  /\/typescript\/lib\/|\/packages\/(?:text|contracts|permissions|signing)\/src\/|\/@types\/(?:node\/(?:crypto|path|buffer|url)\.|mime-types\/)/;

/** Whether a name is called, or the class of a new object. */
function isCalled(name: ts.Identifier): boolean {
  const { parent } = name;
  const callee = ts.isPropertyAccessExpression(parent) && parent.name === name ? parent : name;
  const call = callee.parent;
  return (ts.isCallExpression(call) || ts.isNewExpression(call)) && call.expression === callee;
}

/** Whether a declaration is a variable outside of a function, which may have another value at each call. */
const isOuterLet = (found: ts.Declaration, { pos, end }: ts.Node): boolean =>
  (ts.getCombinedNodeFlags(found) & ts.NodeFlags.Let) !== 0 && (found.pos < pos || found.end > end);

/**
 * Finds pure functions: their result depends on nothing but what they are given. They wait for nothing, read no variable of others,
 * and call nothing but libraries without state, functions like them, and classes of errors: neither a function that they are given, nor a
 * method of a part. A cache by object is no state.
 */
function findsPure(checker: ts.TypeChecker): (found: ts.Declaration) => boolean {
  const known = new Map<ts.Declaration, boolean>();
  const isFunction = (found: ts.Declaration): boolean =>
    bodyOf(found) !== undefined && checker.getTypeAtLocation(found).getCallSignatures().length > 0;
  const mayUse = (found: ts.Declaration, called: boolean): boolean => {
    if (PURE_LIBRARIES.test(found.getSourceFile().fileName)) return true;
    if (isFunction(found)) return isPure(found);
    return !called || (ts.isClassDeclaration(found) && found.name?.text.endsWith('Error') === true);
  };
  const holds = (node: ts.Node, within: ts.Node): boolean => {
    if (ts.isTypeNode(node)) return true;
    if (ts.isAwaitExpression(node) || node.kind === ts.SyntaxKind.AsyncKeyword) return false;
    if (ts.isIdentifier(node)) {
      const [definitions, called] = [definitionsOf(checker, node), isCalled(node)];
      if (called && definitions.length === 0) return false;
      if (!definitions.every((found) => mayUse(found, called) && !isOuterLet(found, within))) return false;
    }
    return !ts.forEachChild(node, (child) => !holds(child, within));
  };
  function isPure(found: ts.Declaration): boolean {
    const before = known.get(found);
    if (before !== undefined) return before;
    // A function that calls itself is as pure as the rest of it.
    known.set(found, true);
    known.set(found, holds(found, found));
    return known.get(found) === true;
  }
  return isPure;
}

/** The files of a side with a function that a function calls, directly or through others, and these functions. */
function filesFrom(
  program: ts.Program,
  { side, starts }: (typeof FLOWS)[number],
): Map<string, ts.Declaration[]> {
  const checker = program.getTypeChecker();
  const seen = new Set<ts.Node>();
  const files = new Map<string, ts.Declaration[]>();
  const follow = (found: ts.Declaration): void => {
    const path = found.getSourceFile().fileName.slice(ROOT.length + 1);
    const body = bodyOf(found);
    if (!SIDES[side].folders.some((folder) => path.startsWith(folder)) || !body || seen.has(found)) return;
    if (checker.getTypeAtLocation(found).getCallSignatures().length === 0) return;
    seen.add(found);
    files.set(path, [...(files.get(path) ?? []), found]);
    if (!path.endsWith('-store.ts')) visit(body);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return;
    if (ts.isIdentifier(node)) definitionsOf(checker, node).forEach(follow);
    node.forEachChild(visit);
  };
  for (const [file, start] of Object.entries(starts)) {
    const find = (node: ts.Node): void => {
      const isNamed =
        ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node) || ts.isFunctionDeclaration(node);
      if (isNamed && node.name?.getText() === start) follow(node);
      node.forEachChild(find);
    };
    const source = program.getSourceFile(join(ROOT, file));
    if (source) find(source);
  }
  return files;
}

/** How many files a reader follows through a flow. */
export function flows(): Figure[] {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, ROOT);
  const folders = Object.values(SIDES).flatMap((side) => side.folders);
  const sources = folders.flatMap((folder) => globSync(`${folder}**/*.ts`, { cwd: ROOT }));
  const program = ts.createProgram(
    sources.map((path) => join(ROOT, path)),
    options,
  );
  const isPure = findsPure(program.getTypeChecker());
  return FLOWS.map((flow) => {
    const { notRead, without } = SIDES[flow.side];
    const files = [...filesFrom(program, flow)];
    const read = files.filter(([path, functions]) => !notRead.test(path) && !functions.every(isPure));
    return {
      name: `Files of the ${flow.side} to read ${flow.what}, by go to definition, without ${without}`,
      measured: `${files.length} with them`,
      value: read.length,
      unit: ' files',
      bound: { most: 25 },
    };
  });
}
