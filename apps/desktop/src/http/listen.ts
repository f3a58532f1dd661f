import { createServer } from 'node:http';
import { listenOnLoopback } from '@svc/runtime/parts';
import { admit } from './admit.ts';
import { sendError } from './answer.ts';
import { type Exchange, exchangeOf, HttpError } from './exchange.ts';

/** What serves requests; replaced once the program behind it is open. */
type Serve = (exchange: Exchange) => Promise<void>;

/** A server on this machine alone. */
export type Listening = {
  port: number;
  /** As a browser writes it. */
  origin: string;
  /** Says what answers from now on. */
  serve(by: Serve): void;
  /** Ends all connections. */
  close(): Promise<void>;
};

/**
 * Listens on the loopback addresses for pages and agents. Every request is admitted before anything looks at it.
 * @param port 0 for any that is free
 * @param onFault told of faults of the program
 * @throws LoopbackError when the port cannot be had at both addresses
 */
export async function listenForPages(port: number, onFault: (error: unknown) => void): Promise<Listening> {
  let by: Serve = async () => {
    throw new HttpError(503, 'internal', 'The desktop is still opening.');
  };
  let got = port;
  const make = () =>
    createServer({ maxHeaderSize: 16_384 }, async (request, response) => {
      try {
        admit(request, got);
        await by(exchangeOf(request, response));
      } catch (error) {
        // Nobody is there to be told.
        if (!response.destroyed) sendError(response, error, onFault);
      }
    });
  const servers = await listenOnLoopback(make, port);
  got = servers.port;
  return {
    port: got,
    origin: `http://localhost:${got}`,
    serve(next) {
      by = next;
    },
    close: servers.close,
  };
}
