import { expect, it } from 'vitest';
import { createEvents, type RuntimeEvent } from '../../src/events/events.ts';

const REMOVED: RuntimeEvent = { type: 'app-removed', appId: 'com.example.a', version: '1.0.0' };

it('calls every listener until it unsubscribes, although another listener throws', () => {
  const faults: unknown[] = [];
  const received: RuntimeEvent[] = [];
  const events = createEvents((fault) => faults.push(fault));
  events.subscribe(() => {
    throw new Error('a listener of the client');
  });
  const unsubscribe = events.subscribe((event) => received.push(event));
  events.emit(REMOVED);
  unsubscribe();
  events.emit(REMOVED);
  expect(received).toEqual([REMOVED]);
  expect(faults).toHaveLength(2);
});
