import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { isObject } from '@svc/contracts/is-object';
import type { CallRequest } from '../calls/call-tool.ts';
import type { ToolsNow } from '../calls/calls.ts';
import type { AppTool } from '../calls/known-tools.ts';
import { ANY_MODEL, usableTools } from '../calls/may-use.ts';
import type { CallResult, ResultPart } from '../calls/read-result.ts';
import type { KeptFile } from '../files/app-storage.ts';
import type { HandedFile } from '../files/handed-file.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import { modelName } from './model-names.ts';

/** The result of a tool as MCP content; `files` are those that the client stored and can show. */
export type ModelResult = CallToolResult & { files: readonly KeptFile[] };

/** A stored file is referred to by its id: models must not see paths of this machine. */
const blockOf = (part: ResultPart): ContentBlock => {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const { id, name, type, bytes } = part.file;
  return { type: 'resource_link', uri: `svc-file:${id}`, name, mimeType: type, size: bytes };
};

/** Converts the result of a call for a model: text, and links to the stored files. */
const toModelResult = ({ isError, parts, structured, files }: CallResult): ModelResult => ({
  content: parts.map(blockOf),
  ...(isError && { isError }),
  ...(structured && { structuredContent: { ...structured } }),
  files,
});

type JsonObject = Readonly<Record<string, unknown>>;

/** A tool, as offered to a model. */
export type ModelTool = {
  /** At most 64 characters of letters, digits, `_` and `-`; it never changes for this tool. */
  name: string;
  appId: string;
  tool: string;
  /** Written by the app and marked with its name: untrusted data, not instructions of the client. */
  description: string;
  /** JSON Schema of all arguments; arguments for files are ids of files that the client gives the model. */
  inputSchema: JsonObject;
  /** Whether the user is asked before each call. */
  confirms: boolean;
};

/** A call, as a model requests it. */
export type ModelCall = Omit<CallRequest, 'tool' | 'files'> & {
  /** Returns the file with an id that the model gave; the client decides which ids are valid. */
  file?: (id: string) => Promise<HandedFile>;
};

/** The methods of a runtime for models. */
export type RuntimeModels = {
  /**
   * Lists the tools offered to a model in a project, from the stored tool lists. It sends no network request.
   * @param options.only ids of apps; default: all apps
   */
  modelTools(options: { project: string; only?: readonly string[] }): ModelTool[];
  /** Calls a tool by its model name. @throws RuntimeError `unknown-tool`, and the errors of `call` */
  callByModelName(name: string, call: ModelCall): Promise<ModelResult>;
};

type Deps = {
  toolsNow(project: string): ToolsNow[];
  call(appId: string, request: CallRequest): Promise<CallResult>;
};

/** Describes how a file is passed. @param types the accepted types, as a sentence */
export type DescribeFile = (types: string) => string;

const asId: DescribeFile = (types) => `Id of a file in this conversation.${types}`;

function fileArgument(
  { multiple = false, accept }: AppTool['files'][string],
  describe: DescribeFile,
): JsonObject {
  const types = accept === undefined ? '' : ` Of type ${accept.join(', ')}.`;
  const item = { type: 'string', description: describe(types) };
  return multiple ? { type: 'array', items: item, minItems: 1 } : item;
}

/** What combines schemas. Providers of models refuse it at the top of a tool's schema. */
const COMBINING = ['anyOf', 'oneOf', 'allOf'] as const;

const namesIn = (required: unknown): string[] =>
  Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];

/** A schema whose alternatives at the top are merged: all their properties, of which those are required that each one requires. */
function withoutAlternatives(schema: JsonObject): JsonObject {
  const { anyOf, oneOf, allOf, ...rest } = schema;
  if (COMBINING.every((name) => !(name in schema))) return schema;
  const branches = (value: unknown) => (Array.isArray(value) ? value.filter(isObject) : []);
  const choices = [...branches(anyOf), ...branches(oneOf)];
  const parts = branches(allOf);
  const properties = [...choices, ...parts, rest].map((part) =>
    isObject(part.properties) ? part.properties : {},
  );
  const shared = namesIn(choices[0]?.required).filter((name) =>
    choices.every((choice) => namesIn(choice.required).includes(name)),
  );
  const required = new Set([
    ...namesIn(rest.required),
    ...parts.flatMap((part) => namesIn(part.required)),
    ...shared,
  ]);
  return {
    ...rest,
    properties: Object.assign({}, ...properties),
    ...(required.size > 0 && { required: [...required] }),
  };
}

/** Names of arguments that providers of models take: they refuse all tools for another one. */
const MAX_NAME = 64;
const shownName = (name: string, at: number): string => {
  const plain = name.replaceAll(/[^\w.-]/g, '_');
  return plain === name && name.length <= MAX_NAME ? name : `${plain.slice(0, MAX_NAME - 8)}_${at}`;
};

/** The properties of a schema with what models call them: those that have another name here come with their own in the description. */
const shownProperties = (properties: JsonObject): [name: string, shown: string, schema: JsonObject][] =>
  Object.entries(properties).map(([name, given], at) => {
    const [shown, schema] = [shownName(name, at), argumentSchema(given)];
    if (shown === name) return [name, name, schema];
    const description = [name, schema.description].filter(Boolean).join(': ');
    return [name, shown, { ...schema, description }];
  });

const propertiesOf = (schema: JsonObject): JsonObject =>
  isObject(schema.properties) ? schema.properties : {};

/** Whether the schema of an argument has one type, which is not null. */
const isOfOneType = ({ type, nullable }: JsonObject): boolean =>
  typeof type === 'string' && type !== 'null' && nullable !== true;

/**
 * Arguments of a model under the names of the server (`toolSchema`). Null for an optional one that cannot be null is left out: models write it
 * for none, and servers refuse it.
 */
export function serverArguments({ inputSchema }: AppTool, given: JsonObject): Record<string, unknown> {
  const { required, ...schema } = withoutAlternatives(inputSchema);
  const known = new Map(
    shownProperties(propertiesOf(schema)).map(([name, as, one]) => {
      const mayOmit = isOfOneType(one) && !namesIn(required).includes(name);
      return [as, { name, mayOmit }];
    }),
  );
  const kept = Object.entries(given).filter(([as, value]) => value !== null || !known.get(as)?.mayOmit);
  return Object.fromEntries(kept.map(([as, value]) => [known.get(as)?.name ?? as, value]));
}

/**
 * A part of a schema for which providers of models and VS Code refuse all tools: a list that does not say of what, and keywords of drafts 3 and
 * 4 that are no booleans any more.
 */
function modernPart(name: string, part: unknown): unknown {
  if (typeof part === 'boolean' && ['required', 'exclusiveMinimum', 'exclusiveMaximum'].includes(name))
    return undefined;
  const isList = isObject(part) && [part.type].flat().includes('array');
  return isList && !('items' in part) ? { ...part, items: {} } : part;
}

/**
 * The schema of an argument as an object: a boolean is one too (JSON Schema, section 4.3.2), and what is none means nothing. Clients of MCP
 * and providers of models refuse a whole list for one that is no object.
 */
const argumentSchema = (schema: unknown): JsonObject =>
  isObject(schema) ? schema : schema === false ? { not: {} } : {};

/**
 * Returns the JSON Schema of all arguments of a tool: the server's schema, with names that models can have (see `serverArguments`), plus a
 * text for each argument that takes files.
 * @param describe describes how files are passed; default: as ids
 */
export function toolSchema({ inputSchema: given, files }: AppTool, describe = asId) {
  const modern = JSON.parse(JSON.stringify(given), modernPart);
  const { required, ...inputSchema } = withoutAlternatives(modern);
  const shown = shownProperties(propertiesOf(inputSchema));
  const names = new Map(shown.map(([name, as]) => [name, as]));
  const plain = shown.map(([, as, schema]) => [as, schema]);
  const taken = Object.entries(files).map(([param, rule]) => [param, fileArgument(rule, describe)]);
  return {
    ...inputSchema,
    type: 'object' as const,
    properties: Object.fromEntries([...plain, ...taken]),
    ...(required !== undefined && { required: namesIn(required).map((name) => names.get(name) ?? name) }),
  };
}

/** Marks a description as written by the app. */
export const describedBy = (app: string, text: string): string =>
  `Description written by the app ${JSON.stringify(app)}: ${text}`;

/** Longest description of a tool that every provider of models takes: OpenAI refuses all tools for a longer one. */
const MAX_DESCRIPTION = 1_024;

/** A description as every provider of models takes it. */
export const shortDescription = (text: string): string =>
  text.length <= MAX_DESCRIPTION ? text : `${text.slice(0, MAX_DESCRIPTION - 1).trimEnd()}…`;

const modelTool = (app: InstalledApp, tool: AppTool): ModelTool => ({
  name: modelName(app, tool.id),
  appId: app.appId,
  tool: tool.id,
  description: shortDescription(describedBy(app.manifest.name, tool.description)),
  inputSchema: toolSchema(tool),
  confirms: tool.confirms,
});

const idsIn = (value: unknown): string[] => [value].flat().filter((id) => typeof id === 'string');

/** Separates the file ids from the arguments, and reads the files. */
async function splitFiles(
  tool: AppTool,
  asked: JsonObject,
  file: ModelCall['file'],
): Promise<Pick<CallRequest, 'arguments' | 'files'>> {
  const { files: rules } = tool;
  const given = serverArguments(tool, asked);
  const params = Object.keys(rules).filter((param) => Object.hasOwn(given, param));
  const rest = Object.fromEntries(Object.entries(given).filter(([name]) => !params.includes(name)));
  if (params.length === 0) return { arguments: rest };
  if (!file) throw new RuntimeError('unknown-file', 'This client cannot pass files to tools.');
  const read = params.map(
    async (param) => [param, await Promise.all(idsIn(given[param]).map(file))] as const,
  );
  return { arguments: rest, files: Object.fromEntries(await Promise.all(read)) };
}

export function createModels({ toolsNow, call }: Deps): RuntimeModels {
  return {
    modelTools: ({ project, only }) =>
      toolsNow(project)
        .filter(({ app }) => only?.includes(app.appId) ?? true)
        .flatMap(({ app, tools }) => usableTools(ANY_MODEL, app, tools).map((tool) => modelTool(app, tool))),
    async callByModelName(name, { file, ...request }) {
      const match = toolsNow(request.project)
        .flatMap(({ app, tools }) => tools.map((tool) => ({ app, tool })))
        .find(({ app, tool }) => modelName(app, tool.id) === name);
      if (!match) throw new RuntimeError('unknown-tool');
      const split = await splitFiles(match.tool, request.arguments, file);
      const { id } = match.tool;
      return toModelResult(
        await call(match.app.appId, { caller: ANY_MODEL, ...request, ...split, tool: id }),
      );
    },
  };
}
