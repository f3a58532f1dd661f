import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Number of bytes from which a connection counts as an upload. */
const UPLOAD_BYTES = 256 * 1024;

/** A proxy between a browser and a store that can stall, lose responses, or be down. */
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
    for (const [socket, peer] of [
      [browser, store],
      [store, browser],
    ] as const) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', (isBroken) => {
        open.delete(socket);
        // Data that was sent before the connection ended is still in transit.
        if (isBroken) peer.destroy();
        else peer.end();
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
    /** Sets the port of the store. */
    leadTo(to: number) {
      port = to;
    },
    /** Lets uploads start, but not complete. */
    stall() {
      state = 'stalling';
    },
    /** Lets uploads through, but drops the responses to them. */
    loseAnswers() {
      state = 'losing';
    },
    /** Closes all connections, and accepts no new ones. */
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
