export {
  type AiSdkTool,
  type Conversation,
  type OpenAiTool,
  toAiSdkTools,
  toOpenAiTools,
} from './models/adapters.ts';
export type { ModelCall, ModelResult, ModelTool, RuntimeModels } from './models/model-tools.ts';
