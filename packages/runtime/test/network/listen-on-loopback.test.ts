import { createServer, get } from 'node:http';
import { createServer as createSocketServer, type Server } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LoopbackError, type LoopbackServers, listenOnLoopback } from '../../src/parts.ts';
import { hasIpv6, holdPort } from '../support/port-holder.ts';

const WITHOUT = 'this machine has no IPv6';

const make = () => createServer((_, response) => response.end('here'));

async function open(by = make, port = 0): Promise<LoopbackServers> {
  const servers = await listenOnLoopback(by, port);
  onTestFinished(() => servers.close());
  return servers;
}

/** The answer at an address, or the error code of the connection. */
const ask = (host: string, port: number): Promise<string> =>
  new Promise((resolve) => {
    get({ host, port, agent: false }, async (response) => {
      response.setEncoding('utf8');
      resolve((await response.toArray()).join(''));
    }).once('error', ({ code = '' }: NodeJS.ErrnoException) => resolve(code));
  });

/** A server that cannot listen at IPv6, with the error code of a system without IPv6. */
function makeWithout(code: string) {
  const server = make();
  const listen = server.listen.bind(server) as (...given: unknown[]) => Server;
  server.listen = ((options: { host: string }, ...rest: unknown[]) => {
    if (options.host !== '::1') return listen(options, ...rest);
    queueMicrotask(() => server.emit('error', Object.assign(new Error(code), { code })));
    return server;
  }) as typeof server.listen;
  return server;
}

describe('servers at both loopback addresses', () => {
  it('answer at both, on one port', async () => {
    const { port } = await open();
    for (const host of hasIpv6 ? ['127.0.0.1', '::1'] : ['127.0.0.1']) {
      expect(await ask(host, port)).toBe('here');
    }
  });

  it('go on after a connection that could not be accepted, and a write after the end', async () => {
    const warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    onTestFinished(() => warnings.mockRestore());
    const made: ReturnType<typeof make>[] = [];
    const { port } = await open(() => {
      const server = createServer((_, response) => {
        response.end('here');
        response.write('more');
      });
      made.push(server);
      return server;
    });
    for (const server of made)
      server.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }));
    expect(await ask('127.0.0.1', port)).toBe('here');
    expect(warnings).toHaveBeenCalled();
  });

  it('leave no address to another program', async ({ skip }) => {
    skip(!hasIpv6, WITHOUT);
    const { port } = await open();
    for (const host of ['::1', '127.0.0.1', '::']) expect(await holdPort(host, port)).toBe('EADDRINUSE');
    expect(await ask('::1', port)).toBe('here');
  });

  it.each(['::1', '127.0.0.1'])('do not open when another program uses the port at %s', async (host) => {
    const port = Number(await holdPort(hasIpv6 ? host : '127.0.0.1'));
    const error = await listenOnLoopback(make, port).catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(LoopbackError);
    expect(error).toMatchObject({ code: 'EADDRINUSE', port });
    expect((error as Error).message).toContain(`Port ${port} is in use at`);
    // The server at the free address is closed again.
    expect(await ask(host === '::1' ? '127.0.0.1' : '::1', port)).not.toBe('here');
  });

  it('try another port when one of the two is taken, at most ten times', async ({ skip }) => {
    skip(!hasIpv6, WITHOUT);
    /** Another program that takes the port at `[::1]` as soon as the server listens at 127.0.0.1, a number of times. */
    const racedBy = (times: number) => {
      let made = 0;
      const taken: number[] = [];
      const by = () => {
        const server = make();
        made += 1;
        if (made % 2 === 0 || taken.length >= times) return server;
        server.once('listening', () => {
          const { port } = server.address() as { port: number };
          const other = createSocketServer().listen({ host: '::1', port, ipv6Only: true });
          taken.push(port);
          onTestFinished(() => new Promise((resolve) => other.close(() => resolve())));
        });
        return server;
      };
      return { by, taken };
    };
    const few = racedBy(3);
    const { port } = await open(few.by);
    expect(few.taken).toHaveLength(3);
    expect(few.taken).not.toContain(port);
    const many = racedBy(1_000);
    await expect(open(many.by)).rejects.toMatchObject({ code: 'EADDRINUSE' });
    expect(many.taken).toHaveLength(10);
  });

  it.each(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])(
    'use one address on a system without IPv6 (%s), where no program can use the other',
    async (code) => {
      const { port } = await open(() => makeWithout(code));
      expect(await ask('127.0.0.1', port)).toBe('here');
    },
  );

  it('do not open when listening at IPv6 fails for another reason', async () => {
    await expect(open(() => makeWithout('EACCES'))).rejects.toMatchObject({ code: 'EACCES' });
  });
});
