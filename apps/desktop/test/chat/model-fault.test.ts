import { describe, expect, it } from 'vitest';
import { codeOf, ModelError, modelError, refusedWith, wordsIn } from '../../src/chat/model-fault.ts';

/** What providers really answer. */
const ANSWERS = {
  'OpenAI, wrong key': [
    ['key', 401],
    '{"error":{"message":"Incorrect API key provided: sk-12*****89. You can find your API key at https://platform.openai.com/account/api-keys.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}',
  ],
  'OpenAI, wrong model': [
    ['model', 404],
    '{"error":{"message":"The model `gpt-99` does not exist or you do not have access to it.","type":"invalid_request_error","param":null,"code":"model_not_found"}}',
  ],
  'OpenAI, model that the project may not use': [
    ['model', 403],
    '{"error":{"message":"Project `proj_1` does not have access to model `gpt-5`","type":"invalid_request_error","param":null,"code":"model_not_found"}}',
  ],
  'OpenAI, wrong path': [
    ['address', 404],
    '{"error":{"message":"Invalid URL (POST /v2/chat/completions)","type":"invalid_request_error","param":null,"code":null}}',
  ],
  'OpenAI, no credit': [
    ['busy', 429],
    '{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}',
  ],
  'OpenAI, long conversation': [
    ['context', 400],
    '{"error":{"message":"This model\'s maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}',
  ],
  'OpenAI, a limit of tokens for a minute': [
    ['busy', 429],
    '{"error":{"message":"Rate limit reached for gpt-5: too many tokens per min. Context length 12","type":"tokens","param":null,"code":"rate_limit_exceeded"}}',
  ],
  'Anthropic, wrong key': [
    ['key', 401],
    '{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"},"request_id":"req_1"}',
  ],
  'Anthropic, wrong model': [
    ['model', 404],
    '{"type":"error","error":{"type":"not_found_error","message":"model: claude-99"},"request_id":"req_1"}',
  ],
  'Anthropic, wrong path': [
    ['address', 404],
    '{"type":"error","error":{"type":"not_found_error","message":"Not Found"},"request_id":"req_1"}',
  ],
  'Anthropic, no credit': [
    ['busy', 400],
    '{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}',
  ],
  'Anthropic, overloaded': [
    ['busy', 529],
    '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
  ],
  'Google, wrong key': [
    ['key', 400],
    '[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}]',
  ],
  'Google, wrong model': [
    ['model', 404],
    '[{"error":{"code":404,"message":"models/gemini-99 is not found for API version v1main, or is not supported for generateContent. Call ListModels to see the list of available models.","status":"NOT_FOUND"}}]',
  ],
  'Google, wrong path': [
    ['address', 404],
    '<!DOCTYPE html><html><title>Error 404 (Not Found)!!1</title>Our models',
  ],
  'OpenRouter, wrong key': [['key', 401], '{"error":{"message":"User not found.","code":401}}'],
  'OpenRouter, wrong model': [
    ['model', 400],
    '{"error":{"message":"none/none is not a valid model ID","code":400},"user_id":"user_1"}',
  ],
  'OpenRouter, model without a host': [
    ['model', 404],
    '{"error":{"message":"No endpoints found for a/b:free.","code":404}}',
  ],
  'OpenRouter, model without tools': [
    ['no-tools', 404],
    '{"error":{"message":"No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs","code":404}}',
  ],
  'OpenRouter, no credit': [['busy', 402], '{"error":{"message":"Insufficient credits","code":402}}'],
  'Azure, wrong key': [
    ['key', 401],
    '{"error":{"code":"401","message":"Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource."}}',
  ],
  'Azure, wrong deployment': [
    ['model', 404],
    '{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again."}}',
  ],
  'Azure, wrong path': [['address', 404], '{"error":{"code":"404","message":"Resource not found"}}'],
  'Ollama, wrong model': [
    ['model', 404],
    '{"error":{"message":"model \\"llama9\\" not found, try pulling it first","type":"api_error","param":null,"code":null}}',
  ],
  'Ollama, model without tools': [
    ['no-tools', 400],
    '{"error":{"message":"registry.ollama.ai/library/gemma3:latest does not support tools","type":"api_error"}}',
  ],
  'Mistral, wrong model': [
    ['model', 400],
    '{"object":"error","message":"Invalid model: none","type":"invalid_model"}',
  ],
  'DeepSeek, wrong model': [
    ['model', 400],
    '{"error":{"message":"Model Not Exist","type":"invalid_request_error"}}',
  ],
  'OpenAI, a parameter that the model does not take': [
    ['failed', 400],
    '{"error":{"message":"Unsupported value: \'temperature\' does not support 0.2 with this model. Only the default (1) value is supported.","type":"invalid_request_error","param":"temperature","code":"unsupported_value"}}',
  ],
  'a website': [['address', 404], '<html>Not found</html>'],
  'a gateway': [['failed', 502], '<html>Bad gateway</html>'],
} as const;

describe('what a provider answers', () => {
  it.each(Object.entries(ANSWERS))('%s', (_, [[code, status], body]) => {
    expect(codeOf(status, body)).toBe(code);
  });

  it('is shown in its own words, without the key', () => {
    const [[, status], body] = ANSWERS['Google, wrong key'];
    expect(refusedWith(status, body, null).message).toContain('API key not valid.');
    expect(refusedWith(401, '{"error":"Bad key sk-secret"}', 'sk-secret').message).toMatch(/Bad key …$/);
    expect(wordsIn('<html>')).toBe('');
  });

  it('tells a host that does not exist from a server that is down', () => {
    const failed = (code: string) =>
      new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
    expect(modelError(failed('ENOTFOUND'), null)).toMatchObject({
      code: 'address',
      message: expect.stringContaining('does not exist'),
    });
    expect(modelError(failed('ECONNREFUSED'), null).code).toBe('unreachable');
    expect(modelError(new Error('The server is overloaded'), null).code).toBe('busy');
    const own = new ModelError('silent', 'x');
    expect(modelError(own, null)).toBe(own);
  });
});
