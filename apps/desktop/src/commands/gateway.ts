import path from 'node:path';
import { parseArgs } from 'node:util';
import { PROVIDERS } from '@svc/contracts/vocabulary';
import { AGENT_IDS } from '../agents/entry.ts';
import { bridge } from '../gateway/bridge.ts';
import { openKnownLists } from '../gateway/known-lists.ts';
import { type Command, UsageError } from './command.ts';
import { defaultFolder, storeOf } from './options.ts';

export const usage =
  'Usage: svc gateway [--folder DIR] [--store URL] [--local-apps] [--local-connectors] [--project NAME] [--provider ID] [--bundle NAME] [--tools all|search]';

const OPTIONS = {
  folder: { type: 'string' },
  store: { type: 'string' },
  'local-apps': { type: 'boolean', default: false },
  'local-connectors': { type: 'boolean', default: false },
  project: { type: 'string' },
  provider: { type: 'string' },
  bundle: { type: 'string' },
  tools: { type: 'string' },
} as const;

function valuesOf(words: readonly string[]) {
  try {
    const { values } = parseArgs({ args: [...words], options: OPTIONS });
    const { provider, tools } = values;
    if (provider !== undefined && ![...PROVIDERS, ...AGENT_IDS].some((name) => name === provider))
      throw new Error();
    if (tools !== undefined && tools !== 'all' && tools !== 'search') throw new Error();
    return values;
  } catch {
    throw new UsageError(usage);
  }
}

/**
 * `gateway`: started by agents. It speaks MCP on its standard streams and connects to the desktop of a folder, which it starts if
 * none is running.
 */
export const run: Command = async (context, words) => {
  const values = valuesOf(words);
  const { folder: chosenFolder, store, project, provider, bundle, tools } = values;
  const folder = chosenFolder === undefined ? defaultFolder(context, 'desktop') : path.resolve(chosenFolder);
  const given = Object.entries({ project, provider, bundle, tools }).filter(
    ([, value]) => value !== undefined,
  );
  const query = new URLSearchParams([...(given as [string, string][]), ['folder', context.cwd]]);
  await bridge({
    input: context.input,
    output: context.output,
    lists: openKnownLists(folder, query.toString()),
    async connect() {
      // Loaded when the agent has its answer to `initialize`.
      const [{ findOrStartDesktop }, { agentBearer }] = await Promise.all([
        import('../gateway/find-or-start-desktop.ts'),
        import('../gateway/agent-bearer.ts'),
      ]);
      const running = await findOrStartDesktop(context, folder, {
        store: storeOf(context, store),
        localApps: values['local-apps'],
        localConnectors: values['local-connectors'],
      });
      const url = `http://localhost/mcp?${query}`;
      return { url, fetch: running.fetch, bearer: await agentBearer(folder) };
    },
    warn: (line) => context.warn(`gateway: ${line}`),
    stopped: context.stopped,
  });
  return 0;
};
