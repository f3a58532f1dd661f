import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { openPinboard, packPinboard } from '@svc/example-pinboard';
import { automationOf, freePort } from '@svc/testkit';
import { FAST_POSTGRES, startPostgres } from '@svc/testkit/postgres-server';
import { readArguments, refuseWords } from './lib/read-arguments.ts';
import { type Command, checkSizes, embedBots, embedRuntime } from './outside/embed-runtime.ts';
import { type StoreProgram, storeProgram } from './outside/store-program.ts';
import { cleanEnv, type Installed, installAlone } from './release/install-alone.ts';
import { packTarball } from './release/pack-tarball.ts';
import { pinStore } from './release/pin-store.ts';
import { runProgram } from './release/run-program.ts';
import { ROOT, readTargets } from './release/targets.ts';
import { installNode, installOthers } from './release/try-package.ts';

const USAGE = `usage: npm run outside

Uses the packages as an outside user does, in empty folders outside the repository, with an empty home: publishes from the
command line; runs, backs up, moves and upgrades a store; and embeds the runtime in a client.
`;

readArguments(USAGE, {}, refuseWords);

const NOTES = 'com.example.hello-notes';

const begun = performance.now();
const say = (line: string): void =>
  void process.stdout.write(`${((performance.now() - begun) / 1000).toFixed(0).padStart(4)} s  ${line}\n`);

/** Packs a package and installs it alone. */
async function installed(name: string, work: string): Promise<Installed> {
  const target = (await readTargets()).find(({ manifest }) => manifest.name === name);
  if (!target) throw new Error(`There is no package ${name}.`);
  const tarball = packTarball(target, work);
  const result = await installAlone(target, tarball, join(work, name.replace('@svc/', '')));
  say(`${name} is installed`);
  if (name === '@svc/runtime') say(`its tarball is ${await checkSizes(result, tarball)}`);
  return result;
}

/** Runs the installed command line with a publisher's token. */
function commandLine({ folder, home }: Installed, { url }: StoreProgram, token: string) {
  const program = join(folder, 'node_modules/@svc/cli/bin/svc.js');
  const env = { ...cleanEnv(home), SVC_STORE: url, ...(token && { SVC_TOKEN: token }) };
  return (...words: string[]) => runProgram(process.execPath, [program, ...words], { cwd: folder, env });
}

/** Publishes the example from the command line, approves it, and verifies it as a user would. */
async function publishNotes(cli: Installed, store: StoreProgram): Promise<ReturnType<typeof commandLine>> {
  const automation = automationOf(store.url, store.adminToken);
  await automation.addPublisher({ slug: 'example', name: 'Example', verified: true });
  const svc = commandLine(cli, store, await automation.publisherToken('example'));
  await cp(join(ROOT, 'examples/hello-notes'), join(cli.folder, 'hello-notes'), { recursive: true });
  svc('validate', 'hello-notes');
  const { version } = JSON.parse(svc('publish', 'hello-notes', '--json')) as { version: string };
  await automation.approve({ appId: NOTES, version });
  svc('verify', `${NOTES}@${version}`);
  say(`${NOTES} ${version} is published and verified`);
  return svc;
}

/** Moves the store to PostgreSQL, and verifies a version from there with the command line. */
async function moveToPostgres(store: Installed, data: string, cli: Installed): Promise<void> {
  const postgres = await startPostgres(FAST_POSTGRES).catch((error: Error) => error);
  if (postgres instanceof Error)
    return say(`not moved: PostgreSQL cannot be started here (${postgres.message})`);
  try {
    await postgres.createDatabase('moved');
    const url = `${postgres.url}moved`;
    (await storeProgram(store, data)).command('migrate-to', url);
    const moved = await storeProgram(store, data, { DATABASE_URL: url });
    await moved.start();
    commandLine(cli, moved, '')('verify', `${NOTES}@1.0.0`);
    await moved.stop();
    say('moved to PostgreSQL, and verified there');
  } finally {
    await postgres.close();
  }
}

/** Starts the store on the data folder of its first release. */
async function upgrade(store: Installed, data: string): Promise<void> {
  await mkdir(data, { recursive: true });
  execFileSync('tar', ['-xzf', join(ROOT, 'test/support/first-version.tar.gz'), '-C', data]);
  const upgraded = await storeProgram(store, data);
  await upgraded.start();
  const { apps } = (await (await fetch(`${upgraded.url}/api/apps/catalog`)).json()) as {
    apps: { version: string }[];
  };
  await upgraded.stop();
  if (apps[0]?.version !== '1.1.0')
    throw new Error(`After the upgrade the catalogue holds ${JSON.stringify(apps)}.`);
  say('upgraded from the first version');
}

/** Runs the steps of the Dockerfile's second stage in a plain folder, and starts the result. */
async function image(work: string): Promise<void> {
  const folder = join(work, 'image');
  await pinStore(folder);
  runProgram('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
  const home = join(folder, 'home');
  await mkdir(home);
  const first = await storeProgram({ folder, home }, join(home, 'first'));
  first.command('prepare');
  const compiled = await readdir(join(folder, 'node_modules/@svc/store/node_modules/.cache/compiled'));
  if (compiled.length === 0) throw new Error('The image would contain no compile cache.');
  const store = await storeProgram({ folder, home }, join(home, 'data'));
  await store.start();
  const served = await fetch(`${store.url}/cli.tgz`);
  await store.stop();
  if (!served.ok) throw new Error(`The store of the image answers /cli.tgz with ${served.status}.`);
  say('the image steps give a store that serves its command line');
}

/** Runs two bots that share a database, under both Nodes. */
async function embedInPostgres(runtime: Installed, nodes: readonly Command[], store: string): Promise<void> {
  const postgres = await startPostgres(FAST_POSTGRES).catch((error: Error) => error);
  if (postgres instanceof Error)
    return say(`no bots: PostgreSQL cannot be started here (${postgres.message})`);
  try {
    runProgram('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', 'pg'], {
      cwd: runtime.folder,
    });
    for (const [at, node] of nodes.entries()) {
      await postgres.createDatabase(`bots_${at}`);
      await embedBots(runtime, node, { store, database: `${postgres.url}bots_${at}` });
      say(`two bots shared PostgreSQL under ${basename(node.program)}`);
    }
  } finally {
    await postgres.close();
  }
}

/** Runs the example client with the installed runtime under both Nodes, against an app with servers on this machine. */
async function embed(work: string, store: StoreProgram): Promise<void> {
  const runtime = await installed('@svc/runtime', work);
  const pinboard = await openPinboard({ port: await freePort(), onFault: (error) => say(String(error)) });
  try {
    const bundle = await packPinboard({ mcpUrl: pinboard.mcpUrl });
    await automationOf(store.url, store.adminToken).publish(bundle);
    const nodes = [process.execPath, await installNode('22', join(work, 'node'))];
    const commands = nodes.map((program) => ({ program, args: ['--disable-warning=ExperimentalWarning'] }));
    for (const command of [...commands, ...(await installOthers(join(work, 'others')))]) {
      await embedRuntime(runtime, command, store.url);
      const [version = ''] = runProgram(command.program, ['--version'], { cwd: work }).split('\n');
      say(`the client ran under ${basename(command.program)} ${version}`);
    }
    await embedInPostgres(runtime, commands, store.url);
  } finally {
    await pinboard.close();
  }
}

const work = await mkdtemp(join(tmpdir(), 'svc-outside-'));
try {
  const [cli, store] = [await installed('@svc/cli', work), await installed('@svc/store', work)];
  const data = join(store.home, 'store');
  const running = await storeProgram(store, data);
  await running.start();
  await publishNotes(cli, running);
  await embed(work, running);
  running.command('backup', join(store.home, 'backup'));
  running.command('restore', join(store.home, 'backup'), '--check');
  say('backed up, and the backup is valid');
  await running.stop();
  await moveToPostgres(store, data, cli);
  await upgrade(store, join(store.home, 'first'));
  await image(work);
} finally {
  await rm(work, { recursive: true, force: true, maxRetries: 5 });
}
