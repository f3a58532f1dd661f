// The one way in: `npm start`, `npm test` and the rest all come through here. Plain JavaScript that Node 20 can run,
// because its first duty is to bring the Node that everything else needs.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { availableParallelism, constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { worstOf } from './worst-of.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BIN = join(ROOT, 'node_modules', '.bin');
const MIN_NODE = 24;

/** Programs that people wait for, which start in half of the processor time when Node finds their modules compiled. */
const STARTED = ['apps/store/dist/lib/svc-store.js', 'apps/desktop/src/main.ts', 'tools/demo.ts'];

/** Beside the modules: a folder that only those may write to who may write those. */
const COMPILE_CACHE = join(ROOT, 'node_modules', '.cache', 'compiled');

/** Builds the pages of the store; left out of a command while they are younger than their sources. */
const WEB = ['vite', 'build', 'apps/web'];

/** Builds the page of the desktop, likewise. */
const PAGE = ['vite', 'build', 'apps/desktop/page'];

/** Makes the command line that the store serves, likewise. */
const CLI = ['node', 'scripts/build-programs.ts', 'cli'];

/** Bundles the store as it is published, which starts in half of the processor time of the sources. */
const STORE = ['node', 'scripts/build-programs.ts', 'store'];

/** What the pages are made of, and the file that is younger than all of it once they are built. */
const BUILDS = new Map([
  [
    WEB,
    {
      sources: [
        'apps/web',
        'packages/contracts',
        'packages/text',
        'packages/bundle',
        'packages/validator',
        'packages/ui',
        'package-lock.json',
      ],
      built: join(ROOT, 'apps', 'web', 'dist', 'check.html'),
    },
  ],
  [
    PAGE,
    {
      sources: [
        'apps/desktop/page',
        'packages/contracts',
        'packages/text',
        'packages/runtime/src/panels',
        'packages/ui',
        'package-lock.json',
      ],
      built: join(ROOT, 'apps', 'desktop', 'page', 'dist', 'index.html'),
    },
  ],
  [
    CLI,
    {
      sources: ['apps/cli', 'apps/desktop', 'packages', 'tools/release', 'package-lock.json'],
      built: join(ROOT, 'apps', 'cli', 'dist', 'cli.tgz'),
    },
  ],
  [
    STORE,
    {
      sources: ['apps', 'docs', 'packages', 'tools/release', 'package-lock.json'],
      // The last that is written.
      built: join(ROOT, 'apps', 'store', 'dist', 'cli', 'cli.tgz'),
    },
  ],
]);

/** TypeScript 7 by its path: `tsc` among the programs may be that of TypeScript 6. Other steps use the other processors. */
const TYPES = ['node', 'node_modules/@typescript/native/bin/tsc', '--singleThreaded'];

/** Everything about the sources that is no test: steps that need nothing of each other, the longest first. */
const SOURCES = {
  together: [
    ['node', 'scripts/build.ts'],
    TYPES,
    [...TYPES, '-p', 'apps/web'],
    ['biome', 'ci', '.'],
    [...TYPES, '-p', 'apps/desktop/page'],
    ['knip'],
    ['node', 'scripts/gen.ts', '--check'],
    ['node', 'scripts/read-answers.ts'],
  ],
};

/** The rings of tests: those within one process, those with servers and browsers, and `test:deep`, which leaves none out. */
const NOT_DEEP = ['vitest', 'run', '--tags-filter', '!deep'];
const QUICK_TESTS = [...NOT_DEEP, '--project', 'sqlite'];
const SERVER_TESTS = [...NOT_DEEP, '--project', 'programs', '--project', 'postgres'];

/**
 * Each command as the steps it takes, one after the other or `together`; each step is a program of node_modules or a script run by
 * the project's Node.
 */
const COMMANDS = {
  start: [WEB, PAGE, CLI, STORE, ['node', 'apps/store/dist/lib/svc-store.js']],
  desktop: [PAGE, ['node', 'apps/desktop/src/main.ts', 'desktop']],
  test: [WEB, PAGE, QUICK_TESTS],
  'test:servers': [WEB, PAGE, CLI, STORE, SERVER_TESTS],
  'test:deep': [
    WEB,
    PAGE,
    CLI,
    STORE,
    ['vitest', 'run'],
    ['node', 'scripts/without-extensions.ts'],
    ['node', 'tools/mutate.ts', '--sample', '5', '--least', '60'],
    // All of them, which takes hours: a rule that nothing tests is one that the next change may lose.
    ['node', 'tools/mutate.ts', '--removals', '--sample', '0', '--least', '100', '--jobs', '2'],
  ],
  'check:sources': [WEB, PAGE, SOURCES],
  check: [WEB, PAGE, SOURCES, CLI, STORE, QUICK_TESTS, SERVER_TESTS],
  fix: [['biome', 'check', '--write', '.']],
  gen: [['node', 'scripts/gen.ts']],
  build: [WEB, PAGE, ['node', 'scripts/build.ts'], ['node', 'scripts/build-programs.ts', 'systems']],
  outside: [WEB, PAGE, ['node', 'scripts/build.ts'], ['node', 'tools/outside.ts']],
  'release:dry': [WEB, PAGE, ['node', 'scripts/build.ts'], ['node', 'tools/release-dry.ts']],
  fuzz: [['node', 'tools/fuzz.ts']],
  torture: [['node', 'tools/torture.ts']],
  mutate: [['node', 'tools/mutate.ts']],
  'compare:zips': [['node', 'tools/compare-zip-readers.ts']],
  'measure:text': [['node', 'tools/measure-text.ts']],
  'measure:obfuscation': [['node', 'tools/measure-obfuscation.ts']],
  'conformance-client': [['node', 'tools/conformance-client.ts']],
  'conformance-server': [['node', 'tools/conformance-server.ts']],
  demo: [WEB, PAGE, CLI, ['node', 'tools/demo.ts']],
  ui: [['node', 'tools/ui.ts']],
  screenshots: [WEB, PAGE, CLI, STORE, ['node', 'tools/screenshots.ts']],
  bench: [WEB, PAGE, CLI, ['node', '--expose-gc', 'tools/bench/run.ts']],
};

/** Commands that need no development dependency: what people run. */
const PROGRAMS = ['start', 'desktop', 'demo'];

const say = (line) => process.stderr.write(`${line}\n`);

const fail = (line) => {
  say(line);
  process.exit(2);
};

const readJson = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null);

/** Whether everything that a command needs of the lock file is installed in the version it asks for. */
function isInstalled(withTools) {
  const wanted = readJson(join(ROOT, 'package-lock.json'))?.packages ?? {};
  const present = readJson(join(ROOT, 'node_modules', '.package-lock.json'))?.packages;
  if (!present) return false;
  return Object.entries(wanted).every(
    ([path, { version, link, optional, dev }]) =>
      link ||
      optional ||
      (dev && !withTools) ||
      !path.startsWith('node_modules/') ||
      present[path]?.version === version,
  );
}

/** Programs that run now, and the signal that ends the command. */
const running = new Set();
let stoppedBy = null;

function stopBy(signal) {
  stoppedBy = signal;
  for (const child of running) child.kill(signal);
}

// Heard from the first moment, also between two steps: a signal that no step gets must end the command all the same.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stopBy(signal));

// npm gives its SIGTERM to the shell between it and this process, and that ends without a word: what is left of it is another parent.
const { ppid } = process;
const orphaned = () => process.ppid !== ppid && !stoppedBy && stopBy('SIGTERM');
if (process.env.npm_lifecycle_event) setInterval(orphaned, 200).unref();

/** The exit code of what a signal ended, as shells have it. */
const codeOf = (signal) => 128 + constants.signals[signal];

/** Starts a program, which gets the signals of this one; `ended` is its exit code. Nothing starts once a signal came. */
function launch(program, args, options) {
  if (stoppedBy) return { ended: Promise.resolve(codeOf(stoppedBy)) };
  const child = spawn(program, args, { cwd: ROOT, ...options });
  running.add(child);
  const ended = new Promise((resolve) => {
    child.on('error', (error) => {
      say(error.message);
      resolve(1);
    });
    child.on('close', (code, signal) => resolve(code ?? codeOf(signal)));
  }).finally(() => running.delete(child));
  return { child, ended };
}

async function npm(...args) {
  const options = { stdio: ['ignore', 2, 2], shell: process.platform === 'win32' };
  return (await launch('npm', args, options).ended) === 0;
}

const versionOf = (node) => {
  const { stdout } = spawnSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' });
  return Number.parseInt(stdout ?? '', 10) || 0;
};

/** The Node that npm brought, or the machine's own when that is new enough. */
function findNode() {
  const brought = join(
    ROOT,
    'node_modules',
    'node',
    'bin',
    process.platform === 'win32' ? 'node.exe' : 'node',
  );
  // npm puts it first in PATH: it runs this already, and need not be started to say its version.
  if (brought === process.execPath && Number.parseInt(process.versions.node, 10) >= MIN_NODE) return brought;
  if (existsSync(brought) && versionOf(brought) >= MIN_NODE) return brought;
  return Number.parseInt(process.versions.node, 10) >= MIN_NODE ? process.execPath : null;
}

/** Installs what is missing: for programs that people run a third of what all of it takes. */
async function setUp(withTools) {
  if (!isInstalled(withTools)) {
    say('Installing what this command needs (npm ci); this happens once.');
    // What npm warns of is the machine's own Node, which will not be used.
    const quiet = ['--loglevel=error', '--no-audit', '--no-fund'];
    if (!(await npm('ci', ...quiet, ...(withTools ? [] : ['--omit=dev'])))) {
      if (stoppedBy) process.exit(codeOf(stoppedBy));
      fail('npm ci failed: see above. Is the npm registry in reach?');
    }
  }
  if (findNode()) return findNode();
  // With --ignore-scripts npm leaves the package without its binary, and says nothing.
  say(`Fetching Node ${MIN_NODE} from npm, as this machine has ${process.version}.`);
  await npm('rebuild', 'node', '--ignore-scripts=false');
  return (
    findNode() ?? fail(`Node ${MIN_NODE} or newer is needed, and its package could not be set up by npm.`)
  );
}

/** Starts one step. */
function begin(node, [program, ...args], stdio) {
  const command = program === 'node' ? args : [join(BIN, program), ...args];
  const env = {
    ...process.env,
    PATH: `${join(node, '..')}${delimiter}${BIN}${delimiter}${process.env.PATH}`,
    ...(STARTED.includes(args[0]) && { NODE_COMPILE_CACHE: COMPILE_CACHE }),
    // Tests use the pages and programs that the steps before have built, and do not build them for each store.
    ...((program === 'vitest' || args[0] === 'tools/screenshots.ts') && { SVC_TEST_BUILT: '1' }),
  };
  return launch(node, command, { stdio, env });
}

/** Runs one step to its end, and gives its exit code. */
const run = (node, step) => begin(node, step, 'inherit').ended;

/** Runs a step to its end, and then says what it said: lines of steps that run at the same time do not mix. */
async function runQuietly(node, step) {
  const { child, ended } = begin(node, step, ['ignore', 'pipe', 'pipe']);
  const said = [];
  for (const stream of [child?.stdout, child?.stderr]) stream?.on('data', (chunk) => said.push(chunk));
  const code = await ended;
  const verdict = code === 0 ? '' : ` FAILED with ${code}`;
  process.stderr.write(`\n> ${step.join(' ')}${verdict}\n${Buffer.concat(said)}`);
  return code;
}

/** Runs steps side by side, as many as there are processors, all to their ends; gives the worst of their exit codes. */
const runTogether = (node, steps) =>
  worstOf(
    steps.map((step) => () => runQuietly(node, step)),
    availableParallelism(),
  );

/** What lies in a folder and is no source of a build. */
const NO_SOURCES = ['node_modules', 'dist', 'test'];

/** When anything under a path was last written, in milliseconds since the epoch. */
function youngest(path) {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  const all = readdirSync(path);
  const inside = all.filter((name) => !NO_SOURCES.includes(name));
  // A folder tells that a file in it is gone; one that holds a build is written by every build, too.
  const own = all.includes('dist') ? 0 : stats.mtimeMs;
  return Math.max(own, ...inside.map((name) => youngest(join(path, name))));
}

function isBuilt(step) {
  const { sources, built } = BUILDS.get(step) ?? {};
  if (built === undefined || !existsSync(built)) return false;
  const at = statSync(built).mtimeMs;
  return sources.every((path) => youngest(join(ROOT, path)) <= at);
}

const [name, ...extra] = process.argv.slice(2);
const command = COMMANDS[name];
if (!command) fail(`There is no command ${name}: use ${Object.keys(COMMANDS).join(', ')}.`);
const node = await setUp(!PROGRAMS.includes(name));
// What says how it is used needs nothing built.
const isHelp = extra.some((word) => word === '--help' || word === '-h');
const steps = isHelp ? command.slice(-1) : command.filter((step) => !isBuilt(step));
for (const [i, step] of steps.entries()) {
  if (steps.length > 1 && !step.together) say(`\n> ${step.join(' ')}`);
  const isLast = i === steps.length - 1;
  const code = await (step.together
    ? runTogether(node, step.together)
    : run(node, isLast ? [...step, ...extra] : step));
  if (code !== 0) process.exit(code);
  // A step may end well although it got the signal: a store does. No other begins then.
  if (stoppedBy) process.exit(isLast ? 0 : codeOf(stoppedBy));
}
