import { RuntimeError } from '../platform/runtime-error.ts';
import type { ModelCall, ModelTool, RuntimeModels } from './model-tools.ts';

/** A function as the API of OpenAI, and those that imitate it, take it in `tools`. */
export type OpenAiTool = {
  type: 'function';
  function: { name: string; description: string; parameters: ModelTool['inputSchema'] };
};

/** The tools for a request of chat completions. */
export const toOpenAiTools = (tools: readonly ModelTool[]): OpenAiTool[] =>
  tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, parameters: inputSchema },
  }));

/** A tool as the AI SDK takes it; the schema is what its `jsonSchema` made. */
export type AiSdkTool<Schema> = {
  description: string;
  inputSchema: Schema;
  execute(input: unknown, options: { abortSignal?: AbortSignal | undefined }): Promise<unknown>;
};

/** What the calls of a conversation have in common. */
export type Conversation = Pick<ModelCall, 'project' | 'chat' | 'file' | 'onProgress'>;

type Input = Readonly<Record<string, unknown>>;

const isInput = (value: unknown): value is Input =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Text for the model when the runtime refuses: its code and message, which hold no secret. */
const refusal = (error: unknown) => {
  if (!(error instanceof RuntimeError)) throw error;
  return { isError: true, content: [{ type: 'text', text: `${error.code}: ${error.message}` }] };
};

/**
 * The tools for `generateText` and `streamText` of the AI SDK, by name. A refusal is a result that the model reads.
 * @param jsonSchema the function of that name of the package `ai`
 */
export const toAiSdkTools = <Schema>(
  runtime: Pick<RuntimeModels, 'callByModelName'>,
  tools: readonly ModelTool[],
  conversation: Conversation,
  jsonSchema: (schema: never) => Schema,
): Record<string, AiSdkTool<Schema>> =>
  Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      {
        description,
        inputSchema: jsonSchema(inputSchema as never),
        async execute(input, { abortSignal } = {}) {
          const call = {
            ...conversation,
            arguments: isInput(input) ? input : {},
            ...(abortSignal && { signal: abortSignal }),
          };
          return runtime.callByModelName(name, call).catch(refusal);
        },
      } satisfies AiSdkTool<Schema>,
    ]),
  );
