import { connect, createServer, type Socket } from 'node:net';

/** The way from the stores to a server, which can be cut or left without a word while the server itself is well. */
export type Wire = {
  /** Where the stores find the server. */
  port: number;
  /** Ends every connection and takes no new one: the server's process is gone. */
  cut(): void;
  /** Takes connections and bytes, and answers nothing: the server's machine stands still. */
  hang(): void;
  /** All is as before, for new connections. */
  fix(): void;
  close(): Promise<void>;
};

/**
 * Lays a wire to a server.
 * @param port where the server listens, on this machine
 */
export async function layWire(port: number): Promise<Wire> {
  let state: 'well' | 'cut' | 'hung' = 'well';
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
    const far = connect(port, '127.0.0.1');
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
    fix() {
      // What hung in between is dead to both sides by now.
      if (state === 'hung') endAll();
      state = 'well';
    },
    async close() {
      endAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
