import {
  Client,
  StreamableHTTPClientTransport,
  type Tool,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { AppTool } from '@svc/runtime';
import { DEEP } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../packages/runtime/test/support/temp-folder.ts';
import { WILD_TAG } from '../scripts/test-projects.ts';
import { connectAgent, openWorld, pageOf } from './support/gateway-world.ts';
import { FOREIGN, foreignProgram } from './support/wild/foreign-programs.ts';

// What the tools of servers of others are in the runtime and for agents of the gateway, beside the client of the SDK. Every field is
// equal but for the differences below, which `docs/project/foreign-servers.md` has with their reasons.

type Meta = Record<string, unknown> & { ui?: { visibility?: string[] } };

/** What people read: MCP 2025-11-25, "Display name precedence". */
const titleOf = ({ name, title, annotations }: Tool): string => title ?? annotations?.title ?? name;

/** The hints alone: the title among them is the title. */
function hintsOf({ annotations }: Tool): object | undefined {
  const { title: _title, ...hints } = annotations ?? {};
  return Object.keys(hints).length > 0 ? hints : undefined;
}

/** Values as they are written in JSON. */
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** A tool in the runtime: its title is that of people, and not among the hints. */
const inRuntime = (tool: Tool) =>
  plain({
    title: titleOf(tool),
    description: tool.description,
    inputSchema: tool.inputSchema,
    outputSchema: tool.outputSchema,
    annotations: hintsOf(tool),
    icons: tool.icons,
    _meta: tool._meta,
  });

const ofRuntime = ({ title, description, inputSchema, outputSchema, annotations, given }: AppTool) =>
  plain({
    ...{ title, description, inputSchema, outputSchema, annotations },
    ...{ icons: given?.icons, _meta: given?._meta },
  });

/** A tool for an agent without MCP Apps: the name of its connector is in its title, and its page is not offered. */
function forAgents(tool: Tool, connector: string) {
  const { ui: _ui, 'ui/resourceUri': _page, ...others } = (tool._meta ?? {}) as Meta;
  return plain({
    ...inRuntime(tool),
    title: `${connector}: ${titleOf(tool)}`,
    _meta: Object.keys(others).length > 0 ? others : undefined,
  });
}

function ofAgents({ title, description, inputSchema, outputSchema, annotations, icons, _meta = {} }: Tool) {
  const meta = Object.keys(_meta).length > 0 ? _meta : undefined;
  return plain({ title, description, inputSchema, outputSchema, annotations, icons, _meta: meta });
}

/** Whether agents get a tool: not one that a server has for its pages alone. */
const isForModels = ({ _meta }: Tool): boolean => (_meta as Meta)?.ui?.visibility?.includes('model') ?? true;

/** The shape of an answer whose values are new each time. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return [...new Set(value.map((one) => JSON.stringify(shapeOf(one))))];
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shapeOf(one)]));
}

/** What an agent is given besides a picture: where the file is. */
const saved = ({ text = '' }: { text?: string }): boolean =>
  text.startsWith('The file ') && text.includes(' was saved at ');

/** What is compared of an answer. The name of the server in `_meta` is of the revision that a client speaks. */
function answerOf(
  { content, structuredContent, isError = false }: Record<string, unknown>,
  isVolatile: boolean,
) {
  const parts = (content as { text?: string }[]).filter((part) => !saved(part));
  const answer = plain({ content: parts, structuredContent, isError });
  return isVolatile ? shapeOf(answer) : answer;
}

type Program = Awaited<ReturnType<typeof foreignProgram>>;

/** How the clients reach the server: the SDK's, and that of a user who adds a connector. */
type Way = {
  transport(): Transport;
  connector: { command: string; args: string[]; folder: string; name: string } | { url: string };
};

const byStreams = ({ stdio }: Program, name: string): Way => ({
  transport: () =>
    new StdioClientTransport({
      ...{ command: stdio.command, args: stdio.args, cwd: stdio.folder, stderr: 'ignore' },
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' },
    }),
  connector: { ...stdio, name },
});

const byHttp = (url: string): Way => ({
  transport: () => new StreamableHTTPClientTransport(new URL(url)),
  connector: { url },
});

/** Compares the runtime and the gateway with the client of the SDK. */
async function compare({ call, isVolatile }: Program, { transport, connector }: Way): Promise<void> {
  const versionNegotiation = { mode: 'auto' as const };
  const sdk = new Client({ name: 'test', version: '1' }, { capabilities: {}, versionNegotiation });
  await sdk.connect(transport());
  onTestFinished(() => sdk.close());
  const world = await openWorld({ apps: [], localConnectors: true });
  const { page } = await pageOf(world);
  const added = await page.call('connectors.addLocal', connector);
  expect(added).toMatchObject({ status: 200 });
  const { appId, manifest } = added.body.app;
  const agent = await connectAgent(world.agent);

  // A server may offer more to a client with more capabilities, so what it lists to the runtime is asked of the runtime.
  const { tools } = await sdk.listTools();
  expect(tools.length).toBeGreaterThan(0);
  const listed = new Map(
    (await world.runtime.tools(appId, { project: 'First' })).map((tool) => [tool.id, tool]),
  );
  const offered = (await agent.listTools()).tools;
  const agentTool = (name: string) => offered.find((one) => one.name.endsWith(`__${name}`));
  for (const tool of tools) {
    expect(ofRuntime(listed.get(tool.name) ?? expect.fail(tool.name))).toEqual(inRuntime(tool));
    const own = agentTool(tool.name);
    if (isForModels(tool))
      expect(ofAgents(own ?? expect.fail(tool.name))).toEqual(forAgents(tool, manifest.name));
    else expect(own).toBeUndefined();
  }

  if (!call) return;
  const direct = answerOf(await sdk.callTool(call), isVolatile);
  const request = { name: agentTool(call.name)?.name ?? '', arguments: call.arguments };
  expect(answerOf(await agent.callTool(request), isVolatile)).toEqual(direct);
}

describe('the tools of a foreign server are what the client of the SDK gets', { tags: [WILD_TAG] }, () => {
  it('from the MCP SDK 2 with the newest revision alone', DEEP, async () => {
    const name = 'sdk-2-modern-alone';
    await compare(...(await streamsOf(name, false)));
  });

  it.each(Object.keys(FOREIGN))('from %s, by standard streams', DEEP, async (name) => {
    await compare(...(await streamsOf(name, true)));
  });

  const served = Object.keys(FOREIGN).filter((name) => FOREIGN[name]?.http);
  it.each(served)('from %s, by HTTP', DEEP, async (name) => {
    const program = await foreignProgram(name, await tempFolder(), true);
    await compare(program, byHttp(await program.serve()));
  });
});

async function streamsOf(name: string, isInstalled: boolean): Promise<[Program, Way]> {
  const program = await foreignProgram(name, await tempFolder(), isInstalled);
  return [program, byStreams(program, name)];
}
