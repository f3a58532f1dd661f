import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { certificateFor } from '@svc/testkit/certificate';

/** Names under `.test` in the first bytes of a connection: of a TLS greeting, or of an HTTP request. */
const hostIn = (bytes: Buffer): string => /[a-z0-9.-]+\.test/.exec(bytes.toString('latin1'))?.[0] ?? '';

/**
 * The rest of the Internet: one port on this machine to which a browser connects for every host, when it is started with
 * `args`, or uses the port as its proxy.
 * `met` has the `.test` hosts of all connections, with or without TLS, successful or not; `packets` counts UDP packets.
 */
export async function startOutside() {
  const met = new Set<string>();
  const requests: string[] = [];
  let packets = 0;
  const https = createHttps(certificateFor('outside.test'), (request, response) => {
    requests.push(`${request.headers.host}${request.url}`);
    const headers = {
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'authorization, content-type',
    };
    // `/to/host` redirects to that host; `/echo` returns the authorization header as JSON.
    const [, onward] = /^\/to\/(.+)/.exec(request.url ?? '') ?? [];
    if (onward) response.writeHead(302, { ...headers, location: `https://${onward}/` }).end();
    else if (request.url?.startsWith('/echo')) {
      response.writeHead(200, headers).end(JSON.stringify([request.headers.authorization]));
    } else response.writeHead(200, { ...headers, 'content-type': 'text/plain' }).end('from outside');
  });
  const sockets = new Set<Socket>();
  /** Forwards a connection, after its first bytes have named the host. */
  const lead = (socket: Socket): void => {
    socket.once('data', (bytes) => {
      met.add(hostIn(bytes));
      // As a proxy (RFC 9110, section 9.3.6): the following bytes are those that a browser sends to the host itself.
      if (bytes.toString('latin1', 0, 8) === 'CONNECT ') {
        socket.write('HTTP/1.1 200 Connected\r\n\r\n');
        return lead(socket);
      }
      const onward = connect((https.address() as AddressInfo).port, '127.0.0.1');
      sockets.add(onward);
      onward.on('error', () => {});
      onward.write(bytes);
      socket.pipe(onward).pipe(socket);
    });
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    lead(socket);
  });
  https.listen(0, '127.0.0.1');
  server.listen(0, '127.0.0.1');
  await Promise.all([once(server, 'listening'), once(https, 'listening')]);
  const udp = createSocket('udp4');
  udp.on('message', () => {
    packets += 1;
  });
  udp.bind(0, '127.0.0.1');
  await once(udp, 'listening');
  const { port } = server.address() as AddressInfo;
  const rules = `MAP * 127.0.0.1:${port}, EXCLUDE *.localhost, EXCLUDE 127.0.0.1`;
  return {
    args: ['--ignore-certificate-errors', `--host-resolver-rules=${rules}`],
    proxyPort: port,
    met,
    requests,
    packets: () => packets,
    udpPort: udp.address().port,
    async stop() {
      for (const socket of sockets) socket.destroy();
      udp.close();
      await Promise.all([server, https].map((one) => new Promise((closed) => one.close(closed))));
    },
  };
}
