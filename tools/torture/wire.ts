import { connect, createServer, type Socket } from 'node:net';

/** A proxy between the stores and a server, which can be cut or made to hang. */
export type Wire = {
  /** Port of the proxy. */
  port: number;
  /** Closes every connection and accepts no new one, as when the server's process has died. */
  cut(): void;
  /** Accepts connections and bytes, and never responds, as when the server's machine hangs. */
  hang(): void;
  /** Works again for new connections. @param to the port of another server, to which they lead from now on */
  fix(to?: number): void;
  close(): Promise<void>;
};

/**
 * Opens a proxy to a server.
 * @param port port of the server on this machine
 */
export async function layWire(port: number): Promise<Wire> {
  let state: 'well' | 'cut' | 'hung' = 'well';
  let target = port;
  const sockets = new Set<Socket>();
  const hold = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    hold(near);
    if (state === 'cut') return near.resetAndDestroy();
    if (state === 'hung') return near.resume();
    const far = connect(target, '127.0.0.1');
    hold(far);
    near.pipe(far).pipe(near);
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endAll = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port: (server.address() as { port: number }).port,
    cut() {
      state = 'cut';
      endAll();
    },
    hang() {
      state = 'hung';
      for (const socket of sockets) socket.unpipe().pause();
    },
    fix(to = target) {
      target = to;
      // Connections that hung are closed.
      if (state === 'hung') endAll();
      state = 'well';
    },
    async close() {
      endAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
