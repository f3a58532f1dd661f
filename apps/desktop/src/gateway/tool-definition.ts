import type { Tool } from '@modelcontextprotocol/server';
import type { AppTool, Given, InstalledApp } from '@svc/runtime';
import { type DescribeFile, modelName, toolSchema } from '@svc/runtime/parts';

const asPath: DescribeFile = (types) =>
  `Absolute path of a file in the project's folder or an allowed folder.${types}`;

/**
 * What the server of a connector gives of a tool, without its page (MCP Apps): the page calls tools by the names of its server, which
 * agents know by other names.
 */
function givenOf({ given }: AppTool): Given {
  const { ui: _, 'ui/resourceUri': __, ...meta } = (given?._meta ?? {}) as Record<string, unknown>;
  return { ...given, ...(given?._meta !== undefined && { _meta: meta }) };
}

/** The definition of a tool for agents. Files are given as paths. */
export const toolDefinition = (app: InstalledApp, tool: AppTool): Tool => ({
  name: modelName(app, tool.id),
  title: `${app.manifest.name}: ${tool.title}`,
  description: tool.description,
  inputSchema: toolSchema(tool, asPath),
  ...(tool.outputSchema && { outputSchema: { ...tool.outputSchema, type: 'object' as const } }),
  ...(tool.annotations && { annotations: tool.annotations }),
  ...givenOf(tool),
});
