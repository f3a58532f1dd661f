import { FAULT } from '@svc/contracts/guarded';
import { expect, it } from 'vitest';

it('fails the run after a fault of a guarded callback, in every worker', () => {
  const listeners = process.listeners('warning').filter(({ name }) => name === 'failOnFault');
  expect(listeners).toHaveLength(1);
  const report = (name: string) => () => listeners[0]?.(Object.assign(new Error('broken'), { name }));
  expect(report(FAULT)).toThrow('A callback failed during the tests: broken');
  expect(report('DeprecationWarning')).not.toThrow();
});
