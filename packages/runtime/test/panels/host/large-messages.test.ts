import { expect, it, onTestFinished } from 'vitest';
import type { WindowMessage } from '../../../src/panels/host/dom.ts';
import { mountPanel } from '../../../src/panels/host/mount-panel.ts';

const LARGE = 20 * 1024 * 1024;

/** Windows of a page, a frame page in it, and a panel in that; a message is copied when its data is read, and that is counted. */
function fakePage() {
  const panel = {};
  const framePage = { 0: panel, length: 1, postMessage: () => {} };
  const listeners = new Set<(event: WindowMessage) => void>();
  const frame = {
    ...{ style: { pointerEvents: '' }, tabIndex: 0, isConnected: true, contentWindow: framePage },
    ...{ setAttribute: () => {}, addEventListener: () => {}, matches: () => false, focus: () => {} },
    remove: () => {},
  };
  const parent = {
    append: () => {},
    ownerDocument: {
      ...{ activeElement: null, addEventListener: () => {}, removeEventListener: () => {} },
      createElement: () => frame,
      defaultView: {
        addEventListener: (_: 'message', listener: (event: WindowMessage) => void) => listeners.add(listener),
        removeEventListener: (_: 'message', listener: (event: WindowMessage) => void) =>
          listeners.delete(listener),
      },
    },
  };
  const read: number[] = [];
  const send = (source: unknown, origin: string) => {
    const event = {
      ...{ source, origin },
      get data() {
        read.push(LARGE);
        return 'x'.repeat(LARGE);
      },
    };
    for (const listener of listeners) listener(event);
  };
  return { parent, panel, read, send, listeners };
}

it('60 messages of 20 MB to the page around a panel are never copied, and end the panel', () => {
  const { parent, panel, read, send, listeners } = fakePage();
  const closed: string[] = [];
  const mounted = mountPanel({
    parent,
    frame: { address: 'http://frame.test/', origin: 'http://frame.test', sandbox: '', title: 'Notes' },
    connection: { send: () => {}, listen: () => {}, close: () => {} },
    now: () => 0,
    closed: (reason) => closed.push(reason),
  });
  onTestFinished(() => mounted.close());
  // From the panel itself, from a window of another program, and from the frame page's window at another origin.
  for (let n = 0; n < 20; n += 1) send(panel, 'null');
  send({}, 'http://frame.test');
  send(parent, 'http://evil.test');
  expect([closed, read]).toEqual([[], []]);
  for (let n = 0; n < 40; n += 1) send(panel, 'null');
  expect([closed, read]).toEqual([['flooded'], []]);
  expect(listeners.size).toBe(0);
});
