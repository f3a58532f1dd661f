import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { DEEP, ownProgram } from '@svc/testkit';
import { type McpSdk, mcpSdk, OLDER_MCP_SDKS } from '@svc/testkit/mcp-clients';
import { describe, expect, it, onTestFinished } from 'vitest';
import { text } from '../packages/runtime/test/support/mcp-server.ts';
import { tempFolder } from '../packages/runtime/test/support/temp-folder.ts';
import { ADD, openWorld, textOf } from './support/gateway-world.ts';

const SDKS = {
  ...OLDER_MCP_SDKS,
  'the newest 1': () =>
    mcpSdk(
      import('@modelcontextprotocol/sdk/client/index.js'),
      import('@modelcontextprotocol/sdk/client/stdio.js'),
    ),
  'the newest 2': () =>
    mcpSdk(import('@modelcontextprotocol/client'), import('@modelcontextprotocol/client/stdio')),
};

/** A module that the gateway loads first: it writes how the process exits, which it does not do when it is killed. */
const RECORDER = `import { appendFileSync } from 'node:fs';
const { SVC_TEST_EXITS } = process.env;
process.on('exit', (code) => appendFileSync(SVC_TEST_EXITS, String(code)));`;

async function startWith({ Client, StdioClientTransport }: McpSdk, words: readonly string[]) {
  const folder = await tempFolder();
  const [recorder, exits] = [path.join(folder, 'recorder.mjs'), path.join(folder, 'exits')];
  await writeFile(recorder, RECORDER);
  const client = new Client({ name: 'an-agent', version: '1.0.0' }, { capabilities: {} });
  const { PATH = '', HOME = '' } = process.env;
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: ['--import', pathToFileURL(recorder).href, ownProgram('svc'), 'gateway', ...words],
      env: { PATH, HOME, SVC_TEST_EXITS: exits },
      stderr: 'ignore',
    }),
  );
  onTestFinished(() => client.close());
  return { client, exitCode: () => readFile(exits, 'utf8').catch(() => null) };
}

describe('the gateway, by clients of the MCP SDK', () => {
  // The oldest and the newest two; those between are deep.
  const isQuick = (version: string) => version === '1.0.4' || version.startsWith('the newest');
  const cases = Object.entries(SDKS).map(
    ([version, load]) => [version, load, isQuick(version) ? {} : DEEP] as const,
  );
  describe.each(cases)('%s', (_version, load, options) => {
    it('lists, calls, and ends by its own close()', options, async () => {
      const { own, mcp } = await openWorld({
        server: { tools: [{ name: 'add_note' }] },
        // The second call never ends.
        play: ({ message }) => {
          const { title } = message.params.arguments ?? {};
          return title === 'wait' ? undefined : text(`Added ${title}.`);
        },
      });
      const { client, exitCode } = await startWith(await load(), ['--folder', own, '--project', 'First']);
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain(ADD);
      const call = (title: string) => client.callTool({ name: ADD, arguments: { title } });
      expect(textOf(await call('milk'))).toBe('Added milk.');
      const cutOff = call('wait').then(
        () => 'answered',
        () => 'ended',
      );
      await expect
        .poll(() => mcp.asked.filter(({ message }) => message.method === 'tools/call'))
        .toHaveLength(2);
      expect(await exitCode()).toBeNull();
      await client.close();
      await expect.poll(exitCode).toBe('0');
      expect(await cutOff).toBe('ended');
    });
  });
});
