import { expect, it } from 'vitest';
import { asksForUsage } from '../../src/chat/model-protocol.ts';

it('asks for usage where it is sent only then, and nowhere else: some servers refuse the question', () => {
  const asked = [
    'https://api.openai.com/v1',
    'https://one.openai.azure.com/openai/v1',
    'http://127.0.0.1:11434/v1',
    'http://localhost:1234/v1',
  ];
  const others = [
    'https://api.mistral.ai/v1',
    'https://openrouter.ai/api/v1',
    'https://api.openai.com.example.org/v1',
    'http://gpu.example.com:11434/v1',
    'http://127.0.0.1:8000/v1',
  ];
  expect(asked.filter((url) => !asksForUsage(url))).toEqual([]);
  expect(others.filter(asksForUsage)).toEqual([]);
});
