import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { onTestFinished } from 'vitest';

/** Whether this machine has the loopback address of IPv6. */
export const hasIpv6: boolean = await new Promise<boolean>((resolve) => {
  const probe = createServer();
  probe.once('error', () => resolve(false));
  probe.listen({ host: '::1', port: 0, ipv6Only: true }, () => probe.close(() => resolve(true)));
});

/** Listens, prints its port or the error code, and answers each connection. */
const PROGRAM = `
const [host, port] = process.argv.slice(1);
const server = require('node:http').createServer((_, response) => response.end('another program'));
server.on('error', ({ code }) => process.stdout.write(code + '\\n'));
server.listen({ host, port: Number(port), ipv6Only: true }, () => process.stdout.write(server.address().port + '\\n'));
process.stdin.on('end', () => process.exit()).resume();
`;

/**
 * Another process, like one of another local user, that occupies a port at an address until the test ends.
 * @returns the port, or the error code of the system
 */
export async function holdPort(host: string, port = 0): Promise<string> {
  const child = spawn(process.execPath, ['-e', PROGRAM, host, String(port)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    child.stdin.end();
    if (child.exitCode === null) await once(child, 'exit');
  });
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  return said.toString().trim();
}
