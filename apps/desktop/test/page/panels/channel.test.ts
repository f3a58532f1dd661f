import type { CloseReason } from '@svc/runtime/panel-host';
import { describe, expect, it } from 'vitest';
import { connectPanel } from '../../../page/src/panels/channel.ts';
import type { DesktopEvent } from '../../../src/wire/events.ts';

/** A channel to a desktop whose responses the test controls. */
function open() {
  const requests: { name: string; input: unknown; answer(): void; fail(): void }[] = [];
  const listeners = new Set<(event: DesktopEvent) => void>();
  const request = (name: string, input: unknown) => {
    const { promise, resolve, reject } = Promise.withResolvers<never>();
    requests.push({ name, input, answer: () => resolve({} as never), fail: () => reject(new Error('lost')) });
    return promise;
  };
  const listen = (listener: (event: DesktopEvent) => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const channel = connectPanel({ request }, { listen }, 'mine');
  const received: string[] = [];
  const closed: CloseReason[] = [];
  channel.connection.listen({
    message: (text) => received.push(text),
    closed: (reason) => closed.push(reason),
  });
  const emit = (event: DesktopEvent) => {
    for (const listener of listeners) listener(event);
  };
  return { ...channel, requests, received, closed, emit, listeners };
}

const settle = () => new Promise((resolve) => setTimeout(resolve));

describe('the channel of a panel', () => {
  it('sends a message after the previous one has arrived', async () => {
    const { connection, requests } = open();
    connection.send('one');
    connection.send('two');
    await settle();
    expect(requests.map(({ input }) => input)).toEqual([{ panel: 'mine', text: 'one' }]);
    requests[0]?.answer();
    await settle();
    expect(requests.map(({ input }) => input)).toContainEqual({ panel: 'mine', text: 'two' });
  });

  it('passes on events of its own panel only', () => {
    const { emit, received, closed, end, listeners } = open();
    emit({ type: 'panel-message', panel: 'other', text: 'not mine' });
    emit({ type: 'panel-message', panel: 'mine', text: 'mine' });
    emit({ type: 'panel-closed', panel: 'other', reason: 'yanked' });
    expect([received, closed]).toEqual([['mine'], []]);
    emit({ type: 'panel-closed', panel: 'mine', reason: 'yanked' });
    emit({ type: 'panel-closed', panel: 'mine', reason: 'removed' });
    expect(closed).toEqual(['yanked']);
    end();
    expect(listeners.size).toBe(0);
  });

  it('closes when a message is lost, and sends none after it', async () => {
    const { connection, requests, closed } = open();
    connection.send('one');
    connection.send('two');
    await settle();
    requests[0]?.fail();
    await settle();
    expect(closed).toEqual(['gone']);
    expect(requests).toHaveLength(1);
  });
});
