import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { ROUTES } from '@svc/contracts';
import { cruise, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  CREATES_FILES,
  NODE_EXCEPTIONS,
  NODE_FREE,
  PACKAGES,
  PRIVATE_FILES,
  STORE_LAYERS,
  STORE_ON_DEMAND,
  STORE_OUTSIDE,
} from '../scripts/architecture.ts';

const quote = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const any = (paths: readonly string[]): string => `^(${paths.map(quote).join('|')})`;
const sources = (path: string): string => `^${quote(path)}/(src|bin|server)/`;

const packages = PACKAGES.map(({ path }) => path);

const packageRules = PACKAGES.map(
  ({ path, mayImport }): IForbiddenRuleType => ({
    name: `${path} imports only what it may`,
    severity: 'error',
    from: { path: sources(path) },
    to: { path: any(packages), pathNot: any([path, ...mayImport].map((name) => `${name}/`)) },
  }),
);

/** The entry files of a package: its package.json, and its exports. */
function entriesOf(path: string): string[] {
  const { exports = {} } = JSON.parse(readFileSync(`${path}/package.json`, 'utf8')) as {
    exports?: Record<string, string>;
  };
  return ['package.json', ...Object.values(exports)].map((entry) => posix.join(path, entry));
}

const entryRules = PACKAGES.map(
  ({ path }): IForbiddenRuleType => ({
    name: `${path} is entered by its entries`,
    severity: 'error',
    // Scripts measure and check the inside of packages.
    from: { pathNot: any([`${path}/`, 'scripts/', 'tools/']) },
    to: { path: sources(path), pathNot: any(entriesOf(path)) },
  }),
);

const ON_DEMAND = any(STORE_ON_DEMAND.modules.map((name) => `apps/store/src/${name}`));

const RULES: IForbiddenRuleType[] = [
  ...packageRules,
  ...entryRules,
  { name: 'no cycles', severity: 'error', from: {}, to: { circular: true } },
  {
    name: 'contracts knows zod alone, but for what addresses are for',
    severity: 'error',
    from: { path: sources('packages/contracts'), pathNot: 'src/public-address\\.ts$' },
    to: { path: 'node_modules', pathNot: 'node_modules/zod/' },
  },
  {
    name: 'libraries that run in a browser hold no Node',
    severity: 'error',
    from: { path: any(NODE_FREE), pathNot: any(NODE_EXCEPTIONS) },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'the page of the desktop imports contracts, permissions, the design, its end of panels and of events, and types of the wire alone',
    severity: 'error',
    from: { path: '^apps/desktop/page/src/' },
    to: {
      path: any(packages),
      pathNot: any([
        'apps/desktop/page/src/',
        'packages/contracts/',
        'packages/permissions/',
        'packages/text/',
        'packages/ui/',
        'packages/runtime/src/panel-host.ts',
        'packages/runtime/src/page.ts',
      ]),
      dependencyTypesNot: ['type-only'],
    },
  },
  {
    name: 'the desktop knows nothing of its page',
    severity: 'error',
    from: { path: '^apps/desktop/src/' },
    to: { path: '^apps/desktop/page/' },
  },
  {
    name: 'use cases know neither HTTP nor adapters',
    severity: 'error',
    from: {
      path: '^apps/store/src/(?:extensions|core|platform)/',
      pathNot: [
        // Route binding, middleware, headers, and page layout.
        '[/-]routes\\.ts$',
        '^apps/store/src/core/catalog/(?:answer-from-memory|file-headers)\\.ts$',
        '-page\\.ts$',
        '^apps/store/src/extensions/[^/]+/(?:extension|show-[^/]+|[^/]+-section)\\.ts$',
        '^apps/store/src/core/access/',
        '^apps/store/src/extensions/docs/',
        '^apps/store/src/extensions/storefront/',
        '^apps/store/src/core/web/',
      ],
    },
    to: { path: [any(STORE_OUTSIDE.map((name) => `apps/store/src/${name}/`)), 'node_modules/hono/'] },
  },
  {
    name: 'the core of the store knows no extension: the list of them is the one place to take one out',
    severity: 'error',
    from: {
      path: '^apps/store/',
      pathNot: ['^apps/store/(?:src|test)/extensions/', '^apps/store/src/composition/extensions\\.ts$'],
    },
    to: { path: '^apps/store/(?:src|test)/extensions/' },
  },
  {
    name: 'an extension of the store is known by the list of them through its one object',
    severity: 'error',
    from: { path: '^apps/store/src/composition/extensions\\.ts$' },
    to: { path: '^apps/store/src/extensions/', pathNot: '/extension\\.ts$' },
  },
  {
    name: 'an extension of the store knows no other',
    severity: 'error',
    from: { path: '^apps/store/(?:src|test)/extensions/([^/]+)/' },
    to: { path: '^apps/store/(?:src|test)/extensions/', pathNot: '/extensions/$1/' },
  },
  {
    name: 'the store loads on demand what it seldom needs',
    severity: 'error',
    from: { path: '^apps/store/src/', pathNot: ON_DEMAND },
    to: {
      path: [ON_DEMAND, `node_modules/(?:${STORE_ON_DEMAND.libraries.join('|')})/`],
      dynamic: false,
      dependencyTypesNot: ['type-only'],
    },
  },
  {
    name: 'nothing imports the benchmarks',
    severity: 'error',
    from: { pathNot: '^tools/bench/' },
    to: { path: '^tools/bench/' },
  },
  {
    name: 'products and tests import no program of the tools, only their parts',
    severity: 'error',
    from: { pathNot: '^(?:tools|scripts)/' },
    to: { path: '^tools/[^/]+\\.ts$' },
  },
  {
    name: 'the testkit stays in tests',
    severity: 'error',
    from: { pathNot: ['(?:^|/)test/', '^testkit/', '^scripts/', '^tools/'] },
    to: { path: '^testkit/' },
  },
];

/** A rule that the sources violate on purpose: without a violation, dependency-cruiser analysed nothing. */
const CANARY: IForbiddenRuleType = {
  name: 'canary',
  severity: 'error',
  from: { path: '^apps/store/src/' },
  to: { path: '^packages/contracts/src/index.ts' },
};

/** The folder in the layer table that contains a source of the store. */
function layerFolder(source: string): string | undefined {
  const path = source.match(/^apps\/store\/src\/(.+)$/)?.[1];
  if (path === undefined) return undefined;
  return STORE_LAYERS.flatMap((layer) => layer.folders).find(
    (folder) => path === folder || path.startsWith(`${folder}/`),
  );
}

const rankOf = (folder: string): number => STORE_LAYERS.findIndex(({ folders }) => folders.includes(folder));

type FolderImport = { from: string; to: string; example: string };

/** The imports between folders of the layer table. */
function folderImports({ modules }: ICruiseResult): FolderImport[] {
  return modules.flatMap(({ source, dependencies }) =>
    dependencies.flatMap(({ resolved }) => {
      const from = layerFolder(source);
      const to = layerFolder(resolved);
      if (from === undefined || to === undefined || from === to) return [];
      return [{ from, to, example: `${source} -> ${resolved}` }];
    }),
  );
}

/** The folders that are part of a cycle. */
function foldersInCycle(imports: readonly FolderImport[]): string[] {
  const below = Map.groupBy(imports, ({ from }) => from);
  const reachable = (start: string): Set<string> => {
    const seen = new Set<string>();
    const open = [start];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      for (const { to } of below.get(at) ?? []) {
        if (seen.has(to)) continue;
        seen.add(to);
        open.push(to);
      }
    }
    return seen;
  };
  return [...below.keys()].filter((folder) => reachable(folder).has(folder));
}

async function cruised(rules: IForbiddenRuleType[]): Promise<ICruiseResult> {
  const { output } = await cruise(
    ['packages', 'apps', 'examples', 'testkit', 'scripts', 'tools'],
    {
      ruleSet: { forbidden: rules },
      validate: true,
      doNotFollow: { path: 'node_modules/(?!@svc)' },
      exclude: { path: '(^|/)dist/' },
      tsPreCompilationDeps: true,
      enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'default'] },
    },
    undefined,
    { tsConfig: extractTSConfig('tsconfig.json') },
  );
  const result = output as ICruiseResult;
  const { totalDependenciesCruised } = result.summary;
  if (totalDependenciesCruised === undefined || totalDependenciesCruised < 50) {
    throw new Error('The cruise saw almost nothing: it cannot have looked at the sources.');
  }
  return result;
}

/** Calls that create a file or folder, or open one so that it may be created. SQLite creates databases that all users can read. */
const CREATION = [
  /\b(?:mkdir|mkdtemp|writeFile|appendFile|copyFile|cp|symlink)(?:Sync)?\(/,
  /\bcreateWriteStream\(/,
  /\bopen(?:Sync)?\([^;\n]*,\s*(?:['"][wa]|NEW_|[^;\n]*O_CREAT)/,
  /\bnew (?:sqlite\.)?DatabaseSync\((?!':memory:'\))(?![^)]*readOnly: true)/,
];

/** Methods of other objects with such a name, such as that of a file handle. */
const METHOD = /\bhandle\.(?:writeFile|appendFile)\(/g;

const createsFiles = (text: string): boolean =>
  CREATION.some((pattern) => pattern.test(text.replaceAll(METHOD, '')));

/** The sources of the programs and libraries that run on a machine with other users. */
const sourcesOfPrograms = (): string[] =>
  ['apps/store', 'apps/cli', 'apps/desktop', ...packages.filter((path) => path.startsWith('packages/'))]
    .flatMap((path) => readdirSync(`${path}/src`, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map(({ parentPath, name }) => `${parentPath}/${name}`);

describe('files of the programs', () => {
  it('are created for their owner only, by one module', () => {
    const creators = sourcesOfPrograms().filter((path) => createsFiles(readFileSync(path, 'utf8')));
    expect(creators.toSorted()).toEqual([PRIVATE_FILES, ...Object.keys(CREATES_FILES)].toSorted());
  });

  it.each([
    'mkdirSync(folder, { recursive: true })',
    "await writeFile(path.join(folder, 'key'), key)",
    "open(draft, 'wx', 0o600)",
    "openSync(path.join(a), 'a')",
    'openSync(file, O_CREAT | O_WRONLY)',
    'new DatabaseSync(file, { timeout: 0 })',
  ])('detects %s', (text) => expect(createsFiles(text)).toBe(true));

  it.each([
    "open(file, 'r')",
    'handle.writeFile(a)',
    'new DatabaseSync(from, { readOnly: true, timeout: 1 })',
    "new DatabaseSync(':memory:')",
  ])('accepts %s', (text) => expect(createsFiles(text)).toBe(false));
});

/** The folders of clients of the store's API. Their requests are built by the typed client. */
const CLIENTS = ['apps/web', 'apps/cli', 'packages/runtime', 'packages/ui', 'testkit', 'examples/client'];

/** Scripts that run as they are written, without imports. Each path in them must be one of the table of routes. */
const PLAIN_SCRIPTS = ['apps/store/static/sign-in.js', 'packages/ui/static/shell.js'];

const API_PATH = /['"`](\/api\/[^'"`?]*)/g;

const apiPathsIn = (text: string): string[] => [...text.matchAll(API_PATH)].map(([, path = '']) => path);

/** The scripts of a package, without its tests. */
const scriptsOf = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.[jt]sx?$/.test(entry.name))
    .map(({ parentPath, name }) => posix.join(parentPath, name))
    .filter((file) => !/\/(?:node_modules|dist|test)\//.test(file));

describe('clients of the API', () => {
  it('build every request with the typed client, and write no path by hand', () => {
    const files = CLIENTS.flatMap(scriptsOf);
    expect(files.length).toBeGreaterThan(300);
    const byHand = files.filter((file) => apiPathsIn(readFileSync(file, 'utf8')).length > 0);
    expect(byHand.filter((file) => !PLAIN_SCRIPTS.includes(file))).toEqual([]);
  });

  it.each(PLAIN_SCRIPTS)('%s names only paths of the table of routes', (file) => {
    const paths = apiPathsIn(readFileSync(file, 'utf8'));
    expect(paths.length).toBeGreaterThan(0);
    const known: string[] = Object.values(ROUTES).map(({ path }) => path);
    expect(paths.filter((path) => !known.includes(path))).toEqual([]);
  });

  it.each(["fetch('/api/apps/catalog')", `\`/api/apps/\${id}\``, 'const a = "/api/people/me";'])(
    'detects %s',
    (text) => expect(apiPathsIn(text)).toHaveLength(1),
  );
});

/** The one decision about what this machine is, and the files that name some of its hosts for another purpose. */
const THIS_MACHINE = 'packages/contracts/src/this-machine.ts';
const NAMES_HOSTS: Readonly<Record<string, string>> = {
  'apps/cli/src/init/remote.ts': 'a template: the names under which a new server answers',
  'apps/desktop/src/http/listen.ts': 'the names under which the page is served',
  'apps/store/src/composition/open-parts.ts': 'the one name without TLS that passkeys have (WebAuthn)',
  'packages/runtime/src/network/connector.ts': 'names that resolvers do not know',
};

/** A regular expression about such hosts, or a list of them. */
const DECIDES = [
  /\/(?:[^/\n\s]|\\\/)*(?:127\\\.|\blocalhost[)$])[^\n]*\/[a-z]*[.,;)\s]/,
  /\[[^\]\n]*'localhost'[^\n]*'(?:127\.0\.0\.1|\[?::1\]?)'/,
  /\bhost(?:name)?(?: ===|\.(?:startsWith|endsWith|includes)\() ?'\.?localhost'/,
];

const decides = (text: string): boolean => DECIDES.some((pattern) => pattern.test(text));

describe('this machine', () => {
  it('is decided by one function', () => {
    const files = [...packages, 'apps/store', 'apps/web', 'apps/desktop', 'apps/cli'].flatMap(scriptsOf);
    const deciding = [...new Set(files)].filter((file) => decides(readFileSync(file, 'utf8')));
    expect(deciding.toSorted()).toEqual([THIS_MACHINE, ...Object.keys(NAMES_HOSTS)].toSorted());
  });

  it.each([
    'const LOOPBACK = /^(?:(?:.+\\.)?localhost|127\\.\\d+\\.\\d+\\.\\d+|\\[::1\\])$/;',
    "const HERE = new Set(['localhost', '127.0.0.1', '[::1]']);",
    "return hostname === 'localhost';",
    "if (host.endsWith('.localhost')) return true;",
  ])('detects %s', (text) => expect(decides(text)).toBe(true));
});

/** The one place where numbers become words, and what looks like it elsewhere. */
const QUANTITIES = 'packages/text/src/quantity.ts';
const WRITES_QUANTITY =
  /=== 1 \? '' : 's'|'[KM]iB'|toFixed\(\d\)[^\n]*\b[KM]iB|['"](?:day|hour|minute)['"],? (?:\d|[A-Z])/;

describe('counts, sizes and spans of time', () => {
  it('are written by one file', () => {
    const files = [
      ...new Set([...packages, 'apps/store', 'apps/web', 'apps/desktop', 'apps/cli'].flatMap(scriptsOf)),
    ];
    expect(files.filter((file) => WRITES_QUANTITY.test(readFileSync(file, 'utf8')))).toEqual([QUANTITIES]);
  });

  it.each([
    "`${n} ${noun}${n === 1 ? '' : 's'}`",
    "const units = ['bytes', 'KiB'];",
    '`${(bytes / MIB).toFixed(1)} MiB`',
    "  ['hour', 3_600_000],",
  ])('detects %s', (text) => expect(WRITES_QUANTITY.test(text)).toBe(true));
});

/** A change of a React state that starts from what the last render showed: it undoes each change that came after that. */
const FROM_LAST_RENDER = /\b(?:set[A-Z]\w*|change)\((?:\{|\[|new (?:Set|Map)\(\[)\s*\.\.\.(?=[a-z])/;

describe('states of the pages', () => {
  it('change from their latest value, and not from what was last rendered', () => {
    const files = ['apps/web', 'apps/desktop/page', 'packages/ui'].flatMap(scriptsOf);
    expect(files.filter((file) => FROM_LAST_RENDER.test(readFileSync(file, 'utf8')))).toEqual([]);
  });

  it.each(['change({ ...draft, text })', 'setRows([...rows, row])', 'setIds(new Set([...ids, id]))'])(
    'detects %s',
    (text) => expect(FROM_LAST_RENDER.test(text)).toBe(true),
  );
});

describe('architecture', () => {
  let found: string[];
  let ofStore: FolderImport[];
  let scripts: number;
  beforeAll(async () => {
    const result = await cruised([...RULES, CANARY]);
    found = result.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`);
    ofStore = folderImports(result);
    scripts = result.modules.filter(({ source }) => /^(?:scripts|tools)\//.test(source)).length;
  });
  const isCanary = (violation: string): boolean => violation.startsWith(`${CANARY.name}: `);

  it('keeps every import within the table of packages', () => {
    expect(found.filter((violation) => !isCanary(violation))).toEqual([]);
  });

  it('looks for cycles in the scripts too', () => {
    expect(scripts).toBeGreaterThan(50);
  });

  it('has a layer for each folder of the store', () => {
    const folders = readdirSync('apps/store/src', { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map(({ parentPath, name }) => `${parentPath}/${name}`);
    expect(folders.filter((path) => layerFolder(path) === undefined)).toEqual([]);
  });

  it('keeps the layers of the store: none imports one above it', () => {
    const upwards = ofStore.filter(({ from, to }) => rankOf(to) > rankOf(from));
    expect(upwards.map(({ example }) => example)).toEqual([]);
  });

  it('has no cycle between folders of the store', () => {
    expect(foldersInCycle(ofStore)).toEqual([]);
  });

  it('detects a cycle', () => {
    const back = { from: 'platform', to: 'core/catalog', example: '' };
    expect(foldersInCycle([...ofStore, back])).toContain('platform');
    expect(ofStore.length).toBeGreaterThan(200);
  });

  it('analyses imports: the store imports the contracts', () => {
    expect(found.filter(isCanary).length).toBeGreaterThan(10);
  });
});
