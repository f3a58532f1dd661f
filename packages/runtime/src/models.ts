export {
  type AiSdkTool,
  type Conversation,
  type OpenAiTool,
  toAiSdkTools,
  toOpenAiTools,
} from './models/adapters.ts';
export type { ModelResult } from './models/model-result.ts';
export type { ModelCall, ModelTool, RuntimeModels } from './models/model-tools.ts';
