import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sampleFiles, sampleManifest } from '@svc/testkit';
import { install } from '../lib/peer.ts';
import type { Figure } from './lib/figure.ts';
import { inTempFolder, ROOT } from './lib/processes.ts';
import { takeTurns, timed } from './lib/take-turns.ts';

const ROUNDS = 15;
const SVC = join(ROOT, 'apps/cli/bin/svc.js');

/** Comparable programs of other vendors, in installable versions. */
const PEERS = { mcpb: '@anthropic-ai/mcpb@2.1.2', addonsLinter: 'addons-linter@10.12.0' };

/** A valid manifest for each of the three programs. */
const MCPB_MANIFEST = {
  manifest_version: '0.3',
  name: 'notes',
  version: '1.0.0',
  description: 'Keeps short notes.',
  author: { name: 'Ada' },
  server: { type: 'node', entry_point: 'server.js', mcp_config: { command: 'node', args: ['server.js'] } },
};
const EXTENSION_MANIFEST = {
  manifest_version: 3,
  name: 'Notes',
  version: '1.0.0',
  browser_specific_settings: {
    gecko: { id: 'notes@example.com', data_collection_permissions: { required: ['none'] } },
  },
};

function writeFolder(folder: string, files: Iterable<[string, string | Uint8Array]>): string {
  for (const [name, content] of files) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** Runs a program in a new Node process. */
const run = (cwd: string, ...args: string[]) =>
  timed(() => {
    const { status, stderr, stdout } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${args[0]} exited with ${status}: ${stdout}${stderr}`);
  });

const figure = (name: string, { ours, floor }: { ours: number; floor: number }, most: number): Figure => ({
  name,
  measured: `${ours.toFixed(0)} against ${floor.toFixed(0)} ms`,
  value: ours / floor,
  unit: ' times',
  bound: { most },
});

/** `svc validate` of a manifest against `mcpb validate`, each in a new process. */
export const coldAgainstMcpb = (): Promise<Figure> =>
  inTempFolder(async (folder) => {
    install(folder, PEERS.mcpb);
    writeFolder(folder, [
      ['plugin.json', JSON.stringify(sampleManifest())],
      ['manifest.json', JSON.stringify(MCPB_MANIFEST)],
    ]);
    const mcpb = join(folder, 'node_modules/@anthropic-ai/mcpb/dist/cli/cli.js');
    const sides = {
      ours: run(folder, SVC, 'validate', 'plugin.json'),
      floor: run(folder, mcpb, 'validate', 'manifest.json'),
    };
    return figure(
      `\`svc validate\` cold against \`mcpb validate\` (${PEERS.mcpb})`,
      takeTurns(sides, ROUNDS),
      1,
    );
  });

/** `svc validate` of a folder against addons-linter of a similar one, each in a new process. */
export const coldAgainstAddonsLinter = (): Promise<Figure> =>
  inTempFolder(async (folder) => {
    install(folder, PEERS.addonsLinter);
    const files = sampleFiles();
    const app = writeFolder(join(folder, 'app'), files);
    const pages = [...files].filter(([name]) => name.startsWith('ui/'));
    const extension = writeFolder(join(folder, 'extension'), [
      ...pages,
      ['manifest.json', JSON.stringify(EXTENSION_MANIFEST)],
    ]);
    const linter = join(folder, 'node_modules/addons-linter/bin/addons-linter');
    const sides = { ours: run(folder, SVC, 'validate', app), floor: run(folder, linter, extension) };
    return figure(
      `\`svc validate\` cold against addons-linter (${PEERS.addonsLinter})`,
      takeTurns(sides, ROUNDS),
      1 / 3,
    );
  });
