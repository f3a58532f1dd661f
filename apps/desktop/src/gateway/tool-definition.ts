import type { Tool } from '@modelcontextprotocol/server';
import type { AppTool, InstalledApp } from '@svc/runtime';
import { toolName } from './tool-names.ts';

type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Says how a file is given. @param types what it may be, as a sentence */
type DescribeFile = (types: string) => string;

const asPath: DescribeFile = (types) =>
  `Absolute path of a file in the project's folder or one that was allowed.${types}`;

/** What an agent is to know of an argument that takes files. */
function fileArgument(
  { multiple = false, accept }: AppTool['files'][string],
  describe: DescribeFile,
): JsonObject {
  const types = accept === undefined ? '' : ` Of type ${accept.join(', ')}.`;
  const path = { type: 'string', description: describe(types) };
  return multiple ? { type: 'array', items: path, minItems: 1 } : path;
}

/** The schema of all arguments: the server's, and paths or ids for those that take files. */
function inputSchema({ inputSchema: schema, files }: AppTool, describe: DescribeFile): Tool['inputSchema'] {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const paths = Object.entries(files).map(([param, rule]) => [param, fileArgument(rule, describe)]);
  return { ...schema, type: 'object', properties: { ...properties, ...Object.fromEntries(paths) } };
}

/** A tool of an app as it is offered to agents. @param describe says how files are given; as paths when it is left out */
export const toolDefinition = (app: InstalledApp, tool: AppTool, describe: DescribeFile = asPath): Tool => ({
  name: toolName(app.appId, tool.id),
  title: `${app.manifest.name}: ${tool.name}`,
  description: tool.description,
  inputSchema: inputSchema(tool, describe),
  ...(tool.annotations && { annotations: tool.annotations }),
});
