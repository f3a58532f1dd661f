import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** From how many bytes on a connection is one that uploads. */
const UPLOAD_BYTES = 256 * 1024;

/** A line between a browser and a store that can be slow, dead, or lose what comes back. */
export async function openLine() {
  const open = new Set<Socket>();
  let state: 'up' | 'stalling' | 'losing' | 'down' = 'up';
  let port = 0;

  const carry = (browser: Socket) => {
    if (state === 'down') {
      browser.destroy();
      return;
    }
    const store = connect(port, 'localhost');
    let sent = 0;
    for (const [one, other] of [
      [browser, store],
      [store, browser],
    ] as const) {
      open.add(one);
      one.on('error', () => {});
      one.on('close', (isBroken) => {
        open.delete(one);
        // What was said before a connection ended is still on its way.
        if (isBroken) other.destroy();
        else other.end();
      });
    }
    browser.on('data', (chunk) => {
      sent += chunk.length;
      store.write(chunk);
      if (state === 'stalling' && sent > UPLOAD_BYTES) browser.pause();
    });
    store.on('data', (chunk) => {
      if (state === 'losing' && sent > UPLOAD_BYTES) browser.destroy();
      else browser.write(chunk);
    });
  };

  const server = createServer(carry);
  server.listen(0, 'localhost');
  await once(server, 'listening');
  const hangUp = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    /** Leads to a port of this machine. */
    leadTo(to: number) {
      port = to;
    },
    /** Lets uploads begin, and none of them end. */
    stall() {
      state = 'stalling';
    },
    /** Lets uploads through, and loses the answers to them. */
    loseAnswers() {
      state = 'losing';
    },
    /** Ends all connections, and takes no more. */
    cut() {
      state = 'down';
      hangUp();
    },
    fix() {
      state = 'up';
    },
    async close() {
      hangUp();
      server.close();
      await once(server, 'close');
    },
  };
}
