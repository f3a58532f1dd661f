import { expect, it } from 'vitest';
import { createEvents, type RuntimeEvent } from '../../src/events/events.ts';

const REMOVED: RuntimeEvent = { type: 'app-removed', appId: 'com.example.a', version: '1.0.0' };

it('tells every listener, though one of them throws, until it stops listening', () => {
  const faults: unknown[] = [];
  const heard: RuntimeEvent[] = [];
  const events = createEvents((fault) => faults.push(fault));
  events.listen(() => {
    throw new Error('a listener of the client');
  });
  const stop = events.listen((event) => heard.push(event));
  events.tell(REMOVED);
  stop();
  events.tell(REMOVED);
  expect(heard).toEqual([REMOVED]);
  expect(faults).toHaveLength(2);
});
