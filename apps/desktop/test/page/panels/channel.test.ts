import type { CloseReason } from '@svc/runtime/panel-host';
import { describe, expect, it } from 'vitest';
import { connectPanel } from '../../../page/src/panels/channel.ts';
import type { DesktopEvent } from '../../../src/wire/events.ts';

/** A desktop that answers when the test says so. */
function open() {
  const asked: { name: string; input: unknown; answer(): void; fail(): void }[] = [];
  const listeners = new Set<(event: DesktopEvent) => void>();
  const ask = (name: string, input: unknown) => {
    const { promise, resolve, reject } = Promise.withResolvers<never>();
    asked.push({ name, input, answer: () => resolve({} as never), fail: () => reject(new Error('lost')) });
    return promise;
  };
  const hear = (listener: (event: DesktopEvent) => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const channel = connectPanel({ ask }, { hear }, 'mine');
  const got: string[] = [];
  const closed: CloseReason[] = [];
  channel.connection.listen({ message: (text) => got.push(text), closed: (reason) => closed.push(reason) });
  const tell = (event: DesktopEvent) => {
    for (const listener of listeners) listener(event);
  };
  return { ...channel, asked, got, closed, tell, listeners };
}

const settle = () => new Promise((resolve) => setTimeout(resolve));

describe('the channel of a panel', () => {
  it('sends a message once the one before has arrived', async () => {
    const { connection, asked } = open();
    connection.send('one');
    connection.send('two');
    await settle();
    expect(asked.map(({ input }) => input)).toEqual([{ panel: 'mine', text: 'one' }]);
    asked[0]?.answer();
    await settle();
    expect(asked.map(({ input }) => input)).toContainEqual({ panel: 'mine', text: 'two' });
  });

  it('hears what is for its own panel alone', () => {
    const { tell, got, closed, end, listeners } = open();
    tell({ type: 'panel-message', panel: 'other', text: 'not mine' });
    tell({ type: 'panel-message', panel: 'mine', text: 'mine' });
    tell({ type: 'panel-closed', panel: 'other', reason: 'withdrawn' });
    expect([got, closed]).toEqual([['mine'], []]);
    tell({ type: 'panel-closed', panel: 'mine', reason: 'withdrawn' });
    tell({ type: 'panel-closed', panel: 'mine', reason: 'removed' });
    expect(closed).toEqual(['withdrawn']);
    end();
    expect(listeners.size).toBe(0);
  });

  it('ends when a message is lost, and sends none after it', async () => {
    const { connection, asked, closed } = open();
    connection.send('one');
    connection.send('two');
    await settle();
    asked[0]?.fail();
    await settle();
    expect(closed).toEqual(['gone']);
    expect(asked).toHaveLength(1);
  });
});
