import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { onTestFinished } from 'vitest';
import { installedServers } from './wild-programs.ts';

/** A server of others as a program: by its standard streams, and by HTTP where it can. */
export type ForeignProgram = {
  /** Its file among the installed packages, or a program of this folder. */
  file: string;
  /** For standard streams. */
  args: readonly string[];
  http?: { args: readonly string[]; env?: Record<string, string>; path: string };
  /** A call that changes nothing and has an answer without the Internet; none where every tool needs an account. */
  call?: { name: string; arguments?: Record<string, unknown> } | undefined;
  /** Each answer of the call differs in its values. */
  isVolatile?: true;
};

/** Stands for a free port in arguments and variables. */
const PORT = '$PORT';
/** Stands for a folder with one file, `notes.txt`. */
const FOLDER = '$FOLDER';

const official = (name: string): string => `@modelcontextprotocol/server-${name}/dist/index.js`;
const page = (name: string, call: ForeignProgram['call'], isVolatile?: true): ForeignProgram => ({
  file: official(name),
  args: ['--stdio'],
  http: { args: [], env: { PORT }, path: '/mcp' },
  call,
  ...(isVolatile && { isVolatile }),
});

export const FOREIGN: Readonly<Record<string, ForeignProgram>> = {
  'server-everything': {
    file: official('everything'),
    args: ['stdio'],
    http: { args: ['streamableHttp'], env: { PORT }, path: '/mcp' },
    call: { name: 'get-annotated-message', arguments: { messageType: 'success', includeImage: true } },
  },
  'server-filesystem': {
    file: official('filesystem'),
    args: [FOLDER],
    call: { name: 'read_text_file', arguments: { path: `${FOLDER}/notes.txt` } },
  },
  'server-memory': { file: official('memory'), args: [], call: { name: 'read_graph' } },
  'server-sequential-thinking': {
    file: official('sequential-thinking'),
    args: [],
    call: {
      name: 'sequentialthinking',
      arguments: { thought: 'One', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
    },
    isVolatile: true,
  },
  context7: {
    file: '@upstash/context7-mcp/dist/index.js',
    args: [],
    http: { args: ['--transport', 'http', '--port', PORT], path: '/mcp' },
    // Without the Internet it answers with an error of its own.
    call: { name: 'query-docs', arguments: { libraryId: 'none', query: 'none' } },
  },
  playwright: {
    file: '@playwright/mcp/cli.js',
    args: ['--headless'],
    http: { args: ['--headless', '--port', PORT], path: '/mcp' },
    call: { name: 'browser_close' },
  },
  'server-pdf': page('pdf', { name: 'list_pdfs' }),
  'server-map': page('map', { name: 'show-map', arguments: { west: 0, south: 0, east: 1, north: 1 } }, true),
  'server-budget-allocator': page('budget-allocator', { name: 'get-budget-data' }, true),
  'server-basic-vanillajs': page('basic-vanillajs', { name: 'get-time' }, true),
  eslint: {
    file: '@eslint/mcp/src/mcp-cli.js',
    args: [],
    call: { name: 'lint-files', arguments: { filePaths: [`${FOLDER}/none.js`] } },
  },
  notion: { file: '@notionhq/notion-mcp-server/bin/cli.mjs', args: [] },
  'chrome-devtools': {
    file: 'chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js',
    args: ['--no-usage-statistics', '--executablePath', '/nowhere'],
    call: { name: 'list_pages' },
  },
  'antv-chart': { file: '@antv/mcp-server-chart/build/index.js', args: [] },
  'server-github': { file: official('github'), args: [] },
  fastmcp: {
    file: 'programs/fastmcp-plain.mjs',
    args: ['stdio'],
    http: { args: ['http', PORT], path: '/mcp' },
    call: { name: 'add', arguments: { a: 1, b: 2 } },
  },
  'sdk-2-modern-alone': {
    file: 'programs/sdk-2-modern.mjs',
    args: ['stdio'],
    http: { args: ['http', PORT], path: '/mcp' },
    call: { name: 'add', arguments: { a: 1, b: 2 } },
  },
};

/**
 * How a server is started for a test: its program for standard streams, and its call.
 * @param folder for its files
 * @param isInstalled whether its packages are in the cache, and not in every clone
 */
export async function foreignProgram(name: string, folder: string, isInstalled: boolean) {
  const { file, args, http, call, isVolatile = false } = FOREIGN[name] as ForeignProgram;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'notes.txt'), 'Some notes.\n');
  const isOwn = file.startsWith('programs/');
  const place = isInstalled ? await installedServers() : import.meta.dirname;
  const program = join(place, isOwn ? '' : 'node_modules', file);
  const filled = <T>(value: T, port = 0): T =>
    JSON.parse(JSON.stringify(value).replaceAll(FOLDER, folder).replaceAll(PORT, String(port))) as T;
  return {
    call: call && filled({ arguments: {}, ...call }),
    isVolatile,
    stdio: { command: process.execPath, args: [program, ...filled(args)], folder },
    /** Starts it with HTTP. @returns its URL */
    async serve(): Promise<string> {
      if (!http) throw new Error(`${name} has no HTTP.`);
      const port = await freePort();
      const child = spawn(process.execPath, [program, ...filled(http.args, port)], {
        cwd: folder,
        env: { PATH: process.env.PATH, HOME: folder, ...filled(http.env ?? {}, port) },
        stdio: 'ignore',
      });
      onTestFinished(() => stop(child));
      const url = `http://localhost:${port}${http.path}`;
      await eventually(async () => (await fetch(url)).body?.cancel());
      return url;
    },
  };
}

const stop = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
