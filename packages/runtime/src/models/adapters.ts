import { isObject } from '@svc/contracts/is-object';
import { asRefusal } from '../platform/runtime-error.ts';
import type { ModelCall, ModelTool, RuntimeModels } from './model-tools.ts';

/** A function in the `tools` of the OpenAI API, and of compatible APIs. */
export type OpenAiTool = {
  type: 'function';
  function: { name: string; description: string; parameters: ModelTool['inputSchema'] };
};

/** Converts tools for a chat completions request. */
export const toOpenAiTools = (tools: readonly ModelTool[]): OpenAiTool[] =>
  tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, parameters: inputSchema },
  }));

/** A tool of the AI SDK; the schema comes from its `jsonSchema`. */
export type AiSdkTool<Schema> = {
  description: string;
  inputSchema: Schema;
  execute(input: unknown, options: { abortSignal?: AbortSignal | undefined }): Promise<unknown>;
};

/** The options that the calls of a conversation share. */
export type Conversation = Pick<ModelCall, 'project' | 'chat' | 'file' | 'onProgress'>;

/** The text for the model when the runtime refuses: the error code and message, which contain no secret. */
const refusal = (error: unknown) => {
  const refused = asRefusal(error);
  if (!refused) throw error;
  return { isError: true, content: [{ type: 'text', text: `${refused.code}: ${refused.message}` }] };
};

/**
 * Returns the tools for `generateText` and `streamText` of the AI SDK, by name. A refusal is returned to the model as a result.
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
            arguments: isObject(input) ? input : {},
            ...(abortSignal && { signal: abortSignal }),
          };
          return runtime.callByModelName(name, call).catch(refusal);
        },
      } satisfies AiSdkTool<Schema>,
    ]),
  );
