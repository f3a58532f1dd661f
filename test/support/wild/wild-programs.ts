import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const PROGRAMS = join(import.meta.dirname, 'programs');

/** Servers and agents that are too large for every clone: deep tests install them into a cache, without their install scripts. */
const SERVERS: Readonly<Record<string, string>> = {
  '@antv/mcp-server-chart': '0.9.10',
  // The provider of better-auth needs exactly these versions of its peers.
  '@better-auth/core': '1.7.5',
  '@better-auth/oauth-provider': '1.7.5',
  '@better-auth/utils': '0.4.2',
  '@better-fetch/fetch': '1.3.2',
  '@cloudflare/workers-oauth-provider': '1.2.3',
  '@eslint/mcp': '0.3.13',
  '@jmondi/oauth2-server': '4.3.7',
  '@modelcontextprotocol/server': '2.4.0',
  '@modelcontextprotocol/server-basic-vanillajs': '2.0.3',
  '@modelcontextprotocol/server-budget-allocator': '2.0.3',
  '@modelcontextprotocol/server-everything': '2026.8.31',
  '@modelcontextprotocol/server-filesystem': '2026.8.31',
  '@modelcontextprotocol/server-github': '2025.4.8',
  '@modelcontextprotocol/server-map': '2.0.3',
  '@modelcontextprotocol/server-memory': '2026.8.31',
  '@modelcontextprotocol/server-pdf': '2.0.4',
  '@modelcontextprotocol/server-sequential-thinking': '2026.8.31',
  '@notionhq/notion-mcp-server': '2.5.2',
  '@playwright/mcp': '0.0.83',
  '@upstash/context7-mcp': '4.1.1',
  'better-auth': '1.7.5',
  'better-call': '1.4.0',
  'chrome-devtools-mcp': '1.11.0',
  fastmcp: '4.20.16',
};

const AGENTS: Readonly<Record<string, string>> = { 'opencode-ai': '1.18.33' };

const run = promisify(execFile);

/** Installs packages once for this version of the list. @returns the folder with their `node_modules` */
async function install(packages: Readonly<Record<string, string>>): Promise<string> {
  const name = createHash('sha256').update(JSON.stringify(packages)).digest('hex').slice(0, 16);
  const folder = join(ROOT, 'node_modules/.cache', `wild-${name}`);
  if (!existsSync(folder)) {
    const fresh = `${folder}.${process.pid}`;
    mkdirSync(fresh, { recursive: true });
    writeFileSync(join(fresh, 'package.json'), JSON.stringify({ private: true, dependencies: packages }));
    await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'], {
      cwd: fresh,
      shell: process.platform === 'win32',
    });
    renameSync(fresh, folder);
  }
  return folder;
}

let installing: Promise<string> | undefined;

/** The folder of the installed servers and the programs. */
export const installedServers = (): Promise<string> => {
  installing ??= install(SERVERS).then((folder) => {
    cpSync(PROGRAMS, join(folder, 'programs'), { recursive: true });
    return folder;
  });
  return installing;
};

/** The folder of the installed agents. */
export const installedAgents = (): Promise<string> => install(AGENTS);

type Started = { url: string; port: number; port2?: number };

/** A foreign server that runs as a program of its own. */
export type WildServer = Started & {
  /** Ends the program, and starts it again at its ports: it keeps everything in memory, and has no accounts afterwards. */
  forget(): Promise<void>;
};

async function start(
  file: string,
  env: Record<string, string>,
): Promise<{ child: ChildProcess; said: Started }> {
  const child = spawn(process.execPath, [file], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('{')) continue;
    const said = JSON.parse(line) as { url: string; port2?: number };
    child.stdout.resume();
    return { child, said: { port: Number(new URL(said.url).port), ...said } };
  }
  throw new Error(`The program ${file} did not start: ${errors}`);
}

const stop = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });

/** Starts a server of `programs/`. @param isInstalled whether its packages are in the cache, and not in every clone */
export async function wildServer(name: string, isInstalled: boolean): Promise<WildServer> {
  const folder = isInstalled ? join(await installedServers(), 'programs') : PROGRAMS;
  const file = join(folder, `${name}.mjs`);
  let { child, said } = await start(file, {});
  onTestFinished(() => stop(child));
  return {
    ...said,
    async forget() {
      await stop(child);
      const ports = { PORT: String(said.port), ...(said.port2 && { PORT_2: String(said.port2) }) };
      ({ child, said } = await start(file, ports));
    },
  };
}
