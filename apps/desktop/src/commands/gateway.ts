import path from 'node:path';
import { parseArgs } from 'node:util';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { PROVIDERS } from '@svc/contracts';
import { agentBearer } from '../gateway/agent-bearer.ts';
import { bridge } from '../gateway/bridge.ts';
import { MCP_PATH } from '../gateway/gateway.ts';
import { reachDesktop } from '../gateway/reach-desktop.ts';
import { type Command, UsageError } from './command.ts';
import { storeOf, usualFolder } from './options.ts';

export const usage =
  'Usage: gateway [--folder DIR] [--store URL] [--local-apps] [--local-connectors] [--project NAME] [--provider ID] [--tools all|search]';

const OPTIONS = {
  folder: { type: 'string' },
  store: { type: 'string' },
  'local-apps': { type: 'boolean', default: false },
  'local-connectors': { type: 'boolean', default: false },
  project: { type: 'string' },
  provider: { type: 'string' },
  tools: { type: 'string' },
} as const;

function valuesOf(words: readonly string[]) {
  try {
    const { values } = parseArgs({ args: [...words], options: OPTIONS });
    const { provider, tools } = values;
    if (provider !== undefined && !PROVIDERS.some((one) => one === provider)) throw new Error();
    if (tools !== undefined && tools !== 'all' && tools !== 'search') throw new Error();
    return values;
  } catch {
    throw new UsageError(usage);
  }
}

/**
 * `gateway`: what an agent starts. It speaks MCP on its standard streams, for the desktop of a folder, which it starts when none
 * runs.
 */
export const run: Command = async (world, words) => {
  const values = valuesOf(words);
  const { folder: given, store, project, provider, tools } = values;
  const folder = given === undefined ? usualFolder(world, 'desktop') : path.resolve(given);
  const said = Object.entries({ project, provider, tools }).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams([...(said as [string, string][]), ['folder', world.cwd]]);
  await bridge({
    agent: new StdioServerTransport(world.input, world.output),
    async reach() {
      const { origin } = await reachDesktop(world, folder, {
        store: storeOf(world, store),
        localApps: values['local-apps'],
        localConnectors: values['local-connectors'],
      });
      // By number: the name may lead to an address that another program holds.
      const url = `http://127.0.0.1:${new URL(origin).port}${MCP_PATH}?${query}`;
      return { url, bearer: await agentBearer(folder, world.system) };
    },
    warn: (line) => world.warn(`gateway: ${line}`),
  });
  return 0;
};
