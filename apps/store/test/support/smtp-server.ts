import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { SMTPServerOptions } from 'smtp-server';
import { onTestFinished } from 'vitest';
import { openMailServer } from './mail-server.ts';

/** A real mail server, closed after the test. */
export async function startSmtp(options: SMTPServerOptions = {}) {
  const { close, ...server } = await openMailServer(options);
  onTestFinished(close);
  return server;
}

/** A TCP server that handles its connections as the test defines, closed after the test. */
export async function startRaw(talk: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    talk(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((closed) => server.close(closed));
  });
  return { port: (server.address() as AddressInfo).port };
}
