import { expect, it } from 'vitest';
import { namesOf } from './support/entry.ts';

it('exports what a client needs to offer tools to a model, and nothing else', async () => {
  expect(await namesOf('models')).toEqual({
    values: ['toAiSdkTools', 'toOpenAiTools'],
    types: [
      'AiSdkTool',
      'Conversation',
      'ModelCall',
      'ModelResult',
      'ModelTool',
      'OpenAiTool',
      'RuntimeModels',
    ],
  });
});
