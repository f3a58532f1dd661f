import { describe, expect, it } from 'vitest';
import { CleanupStack } from '../../src/platform/cleanup-stack.ts';

describe('what was opened', () => {
  it('is closed newest first, each after the one before it, and once', async () => {
    const stack = new CleanupStack();
    const steps: string[] = [];
    expect(stack.adopt('database', (name) => steps.push(name))).toBe('database');
    stack.defer(async () => {
      await new Promise((done) => setImmediate(done));
      steps.push('server');
    });
    await stack.disposeAsync();
    await stack.disposeAsync();
    expect(steps).toEqual(['server', 'database']);
  });

  it('is closed also when closing something else fails', async () => {
    const stack = new CleanupStack();
    const steps: string[] = [];
    stack.defer(() => steps.push('first'));
    stack.defer(() => Promise.reject(new Error('stuck')));
    await expect(stack.disposeAsync()).rejects.toThrow('stuck');
    expect(steps).toEqual(['first']);
  });

  it('gives every error when several fail', async () => {
    const stack = new CleanupStack();
    const one = new Error('one');
    const two = new Error('two');
    stack.defer(() => Promise.reject(one));
    stack.defer(() => Promise.reject(two));
    await expect(stack.disposeAsync()).rejects.toMatchObject({ errors: [two, one] });
  });
});
