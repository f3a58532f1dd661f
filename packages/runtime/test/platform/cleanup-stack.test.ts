import { describe, expect, it } from 'vitest';
import { CleanupStack } from '../../src/platform/cleanup-stack.ts';

describe('a cleanup stack', () => {
  it('closes the newest resource first, one after the other, and each once', async () => {
    const stack = new CleanupStack();
    const steps: string[] = [];
    const database = { close: () => steps.push('database') };
    expect(stack.adopt(database)).toBe(database);
    stack.defer(async () => {
      await new Promise((done) => setImmediate(done));
      steps.push('server');
    });
    const first = stack.disposeAsync();
    await stack.disposeAsync();
    expect(steps).toEqual(['server', 'database']);
    await first;
  });

  it('closes the other resources when one fails to close', async () => {
    const stack = new CleanupStack();
    const steps: string[] = [];
    stack.defer(() => steps.push('first'));
    stack.defer(() => Promise.reject(new Error('stuck')));
    await expect(stack.disposeAsync()).rejects.toThrow('stuck');
    expect(steps).toEqual(['first']);
  });

  it('throws all errors when several fail', async () => {
    const stack = new CleanupStack();
    const one = new Error('one');
    const two = new Error('two');
    stack.defer(() => Promise.reject(one));
    stack.defer(() => Promise.reject(two));
    await expect(stack.disposeAsync()).rejects.toMatchObject({ errors: [two, one] });
  });
});
