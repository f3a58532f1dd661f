import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Manifest } from '@svc/contracts';
import { DEEP, type ModelRequest, openScriptModel, ownProgram, png, type ScriptAnswer } from '@svc/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { findRunningDesktop } from '../apps/desktop/src/control/find-running-desktop.ts';
import { realSystem } from '../packages/runtime/test/support/real-system.ts';
import { tempFolder } from '../packages/runtime/test/support/temp-folder.ts';
import { answerApprovals, OTHER, openWorld } from './support/gateway-world.ts';
import { installedAgents } from './support/wild/wild-programs.ts';

const SVC = ownProgram('svc');

/** A call of a turn, and what happens before the model makes it. */
type Step = { tool: string; arguments?: object; before?: () => Promise<unknown> };

/** Runs a program to its end. @returns what it wrote */
async function runProgram(
  file: string,
  args: string[],
  options: { cwd: string; env: Record<string, string> },
) {
  const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk;
    });
  const [code] = await once(child, 'close');
  return { code, said };
}

/** The text of the results of a turn, in their order. */
const resultsIn = ({ messages }: ModelRequest): string[] =>
  messages.flatMap(({ role, content }) => (role === 'tool' ? [JSON.stringify(content)] : []));

/** A model that makes the calls of a turn, one after the other, with the names under which the agent offers the tools. */
async function modelOf(steps: readonly Step[]) {
  const turn: { results: string[]; offered: string[][] } = { results: [], offered: [] };
  const model = await openScriptModel(async (request): Promise<ScriptAnswer> => {
    const offered = (request.tools ?? []).map(({ function: { name } }) => name);
    if (offered.length === 0) return { text: ['A title'] };
    turn.results = resultsIn(request);
    turn.offered[turn.results.length] = offered;
    const step = steps[turn.results.length];
    if (!step) return { text: ['Done.'] };
    await step.before?.();
    return { calls: [{ name: `svc_${step.tool}`, arguments: step.arguments ?? {} }] };
  });
  onTestFinished(() => model.close());
  return { model, turn };
}

/** The configuration of opencode for a model server, in a home of its own. */
async function homeOf(baseURL: string) {
  const home = await tempFolder();
  const file = join(home, '.config/opencode/opencode.json');
  const limit = { context: 100_000, output: 4_000 };
  const config = {
    provider: {
      script: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Script',
        options: { baseURL, apiKey: 'none' },
        models: { script: { name: 'Script', tool_call: true, limit } },
      },
    },
    model: 'script/script',
    small_model: 'script/script',
    autoupdate: false,
    share: 'disabled',
  };
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(config));
  const env = { HOME: home, PATH: process.env.PATH ?? '', OPENCODE_DISABLE_MODELS_FETCH: '1' };
  return env;
}

it(
  'serves a whole turn of opencode: files, approval, picture, an app installed and yanked, the desktop killed',
  DEEP,
  async () => {
    const picture = { type: 'image', mimeType: 'image/png', data: Buffer.from(png(8, 8)).toString('base64') };
    const world = await openWorld({
      play: ({ message }) => ({ content: [{ type: 'text', text: `Did ${message.params.name}.` }, picture] }),
      server: { tools: [{ name: 'add_note' }, { name: 'clear' }, { name: 'draw' }] },
      apps: [{ grants: ['files:receive', 'files:return'] }],
    });
    const { store, runtime, folder, own, opened } = world;
    const cards = answerApprovals(world.prompts);
    const note = join(folder, 'note.txt');
    await writeFile(note, 'Buy milk.');
    const installPaint = async () => {
      const paint: Partial<Manifest> = { ...OTHER, grants: ['files:return'] };
      const { appId } = store.publish(paint).release;
      const sheet = await runtime.installer.prepareInstall(appId);
      await runtime.installer.install(sheet, { accepted: true, binding: sheet.binding });
    };
    const yank = async () => {
      store.yank('2026-02-01T00:00:00.000Z', '1.0.0');
      await runtime.revocations.check();
    };
    const killDesktop = async () => {
      const running = await findRunningDesktop(own, { system: realSystem });
      process.kill(running?.pid ?? expect.fail(), 'SIGKILL');
    };
    onTestFinished(() => killDesktop().catch(() => undefined));
    const { model, turn } = await modelOf([
      { tool: 'com_example_notes__add_note', arguments: { attachment: note } },
      { tool: 'com_example_notes__clear' },
      { tool: 'list_apps', before: installPaint },
      { tool: 'com_example_paint__draw' },
      { tool: 'com_example_notes__clear', before: yank },
      { tool: 'list_apps', before: () => opened.close() },
      { tool: 'list_apps', before: killDesktop },
      { tool: 'list_apps' },
    ]);
    const env = await homeOf(model.baseUrl);
    const connect = [
      'connect',
      'opencode',
      '--yes',
      '--project',
      'First',
      '--folder',
      own,
      '--store',
      store.url,
    ];
    expect(await runProgram(process.execPath, [SVC, ...connect], { cwd: folder, env })).toMatchObject({
      code: 0,
    });
    const opencode = join(await installedAgents(), 'node_modules/opencode-linux-x64/bin/opencode');
    const turned = await runProgram(opencode, ['run', 'Do all of it.'], { cwd: folder, env });
    expect(turned).toMatchObject({ code: 0, said: expect.stringContaining('Done.') });

    const [added, cleared, installed, drawn, yanked, next, killed, last] = turn.results;
    for (const [result, did] of [
      [added, 'add_note'],
      [cleared, 'clear'],
      [drawn, 'draw'],
    ] as const)
      expect(result).toMatch(new RegExp(`Did ${did}\\..*image\\.png`));
    // The user was asked about the file, and about the tool that wants it.
    expect(cards).toEqual([['first'], []]);
    expect(installed).toContain('com.example.paint');
    expect(turn.offered.map((names) => names.includes('svc_com_example_paint__draw'))).toEqual([
      ...[false, false, false],
      ...Array.from({ length: 6 }, () => true),
    ]);
    expect(yanked).toContain('(yanked)');
    expect(turn.offered.at(-1)).not.toContain('svc_com_example_notes__clear');
    // Another desktop was started, and one after the kill; a call may meet its end.
    for (const listing of [next, last]) expect(listing).toMatch(/com\.example\.paint/);
    expect(killed).toMatch(/com\.example\.paint|check that before you call again/);
  },
);
