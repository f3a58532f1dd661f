import { generateText, jsonSchema, stepCountIs, type ToolSet } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { expect, it } from 'vitest';
import { createMediaApp } from '../../src/built-in/media-app.ts';
import type { AppTool } from '../../src/calls/known-tools.ts';
import { serverArguments, toolSchema } from '../../src/models/model-tools.ts';
import { toAiSdkTools, toOpenAiTools } from '../../src/models.ts';
import { photograph } from '../support/pictures.ts';
import { realSystem } from '../support/real-system.ts';
import { refused } from '../support/refused.ts';
import { openClient } from '../support/runtime-world.ts';

const WHERE = { project: 'project-1', chat: 'chat-1' };

/** A client whose only file has the id `f-1`. */
async function openModels() {
  const { runtime } = await openClient({ builtIn: [createMediaApp(realSystem)] });
  const photo = { name: 'holiday.jpg', bytes: await photograph() };
  const file = async (id: string) => {
    if (id !== 'f-1') throw new Error(`There is no file ${id}.`);
    return photo;
  };
  return { runtime, file, tools: runtime.modelTools({ project: 'project-1' }) };
}

it('lists tools with complete schemas, in which files are ids', async () => {
  const { runtime, tools } = await openModels();
  expect(tools.map(({ name }) => name)).toEqual(
    ['resize', 'crop', 'convert', 'compress', 'trim'].map((tool) => `media__${tool}`),
  );
  expect(tools[0]).toMatchObject({
    appId: 'media',
    tool: 'resize',
    description: expect.stringMatching(/^Description written by the app "/),
    inputSchema: {
      type: 'object',
      properties: {
        width: { type: 'integer' },
        file: { description: expect.stringContaining('Id of a file') },
      },
    },
  });
  expect(runtime.modelTools({ project: 'project-1', only: [] })).toEqual([]);
});

it('calls a tool by its model name, and returns MCP content', async () => {
  const { runtime, file } = await openModels();
  const call = { arguments: { width: 100, file: ['f-1'] }, file, ...WHERE };
  const { content, files, isError } = await runtime.callByModelName('media__resize', call);
  expect(isError).toBeUndefined();
  expect(content.at(-1)).toMatchObject({
    type: 'resource_link',
    uri: `svc-file:${files[0]?.id}`,
    mimeType: 'image/jpeg',
  });
  expect(JSON.stringify(content)).not.toContain(files[0]?.path);
});

it('refuses unknown names, apps that are off, and file ids when the client provides no files', async () => {
  const { runtime, file } = await openModels();
  const given = { arguments: { width: 100, file: 'f-1' }, ...WHERE };
  await expect(runtime.callByModelName('media__erase', { ...given, file })).rejects.toEqual(
    refused('unknown-tool'),
  );
  await expect(runtime.callByModelName('media__resize', given)).rejects.toEqual(refused('unknown-file'));
  runtime.library.switch('media', false, 'project-1');
  await expect(runtime.callByModelName('media__resize', { ...given, file })).rejects.toEqual(
    refused('unknown-tool'),
  );
});

it('converts the tools to the format of the OpenAI API', async () => {
  const { tools } = await openModels();
  expect(toOpenAiTools(tools)[0]).toEqual({
    type: 'function',
    function: {
      name: 'media__resize',
      description: tools[0]?.description,
      parameters: tools[0]?.inputSchema,
    },
  });
});

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

it.each([
  [{ width: 100, file: 'f-1' }, 'svc-file:'],
  [{ width: 0, file: 'f-1' }, 'invalid-arguments: '],
])('runs in the AI SDK: %j gives the model %s', async (input, said) => {
  const { runtime, file, tools } = await openModels();
  let step = 0;
  const model = new MockLanguageModelV4({
    doGenerate: async () => {
      step += 1;
      const toolCall = {
        type: 'tool-call',
        toolCallId: '1',
        toolName: 'media__resize',
        input: JSON.stringify(input),
      };
      const content = step === 1 ? [toolCall] : [{ type: 'text', text: 'Done.' }];
      const unified = step === 1 ? 'tool-calls' : 'stop';
      return { content, finishReason: { unified, raw: undefined }, usage: USAGE, warnings: [] } as never;
    },
  });
  const aiTools: ToolSet = toAiSdkTools(runtime, tools, { ...WHERE, file }, jsonSchema);
  const { text } = await generateText({
    model,
    tools: aiTools,
    prompt: 'Make it smaller.',
    stopWhen: stepCountIs(3),
  });
  expect(text).toBe('Done.');
  expect(JSON.stringify(model.doGenerateCalls[1]?.prompt)).toContain(said);
});

it('merges alternatives at the top of a schema, which providers of models refuse', () => {
  const text = { type: 'string' };
  const inputSchema = {
    type: 'object',
    anyOf: [
      { properties: { id: text, both: text }, required: ['id', 'both'] },
      { properties: { name: text, both: text }, required: ['name', 'both'] },
    ],
    allOf: [{ properties: { board: text }, required: ['board'] }, true],
  };
  const tool = { inputSchema, files: {} } as unknown as AppTool;
  expect(toolSchema(tool)).toEqual({
    type: 'object',
    properties: { id: text, name: text, both: text, board: text },
    required: ['board', 'both'],
  });
});

it('has an object as the schema of each argument, as clients of MCP demand', () => {
  const properties = {
    any: true,
    none: false,
    text: 'string',
    empty: null,
    list: [1],
    fine: { type: 'string' },
    several: { anyOf: [{ type: 'array' }, { type: ['array', 'null'], items: { type: 'string' } }] },
    type: { properties: { type: { type: 'array', minItems: 1 } } },
    old: { type: 'object', required: true, properties: { n: { minimum: 0, exclusiveMinimum: true } } },
  };
  const { properties: read, ...rest } = toolSchema({
    inputSchema: { type: 'object', properties, required: ['fine'], $defs: { a: { type: 'array' } } },
    files: {},
  } as unknown as AppTool);
  expect(read).toEqual({
    any: {},
    none: { not: {} },
    text: {},
    empty: {},
    list: {},
    fine: { type: 'string' },
    several: {
      anyOf: [
        { type: 'array', items: {} },
        { type: ['array', 'null'], items: { type: 'string' } },
      ],
    },
    type: { properties: { type: { type: 'array', minItems: 1, items: {} } } },
    old: { type: 'object', properties: { n: { minimum: 0 } } },
  });
  expect(rest).toEqual({ type: 'object', required: ['fine'], $defs: { a: { type: 'array', items: {} } } });
});

it('has names of arguments that providers of models take, which lead back to those of the server', () => {
  const long = 'x'.repeat(80);
  const properties = {
    'StartTime<': { type: 'string', description: 'When.' },
    'StartTime>': true,
    [long]: {},
    'a.b-c_1': { type: 'string' },
  };
  const tool = {
    inputSchema: { type: 'object', properties, required: ['StartTime>', 'a.b-c_1'] },
    files: {},
  } as unknown as AppTool;
  const shown = ['StartTime__0', 'StartTime__1', `${'x'.repeat(56)}_2`, 'a.b-c_1'];
  const { properties: read, required } = toolSchema(tool) as { properties: object; required?: unknown };
  expect(Object.keys(read)).toEqual(shown);
  expect(Object.values(read).slice(0, 2)).toEqual([
    { type: 'string', description: 'StartTime<: When.' },
    { description: 'StartTime>' },
  ]);
  expect(required).toEqual([shown[1], shown[3]]);
  const given = Object.fromEntries([...shown, 'other'].map((name, at) => [name, at]));
  expect(Object.entries(serverArguments(tool, given))).toEqual(
    [...Object.keys(properties), 'other'].map((name, at) => [name, at]),
  );
});

it('leaves out null for an optional argument that cannot be null, as models write it for none', () => {
  const text = { type: 'string' };
  const properties = {
    a: text,
    b: { type: ['string', 'null'] },
    c: {},
    d: text,
    e: { ...text, nullable: true },
  };
  const tool = {
    inputSchema: { type: 'object', properties, required: ['d'] },
    files: {},
  } as unknown as AppTool;
  const given = { a: null, b: null, c: null, d: null, e: null, f: null };
  expect(serverArguments(tool, given)).toEqual({ b: null, c: null, d: null, e: null, f: null });
  expect(serverArguments(tool, { a: '', d: 0 })).toEqual({ a: '', d: 0 });
});
