import { createServer } from 'node:http';
import { listenOnLoopback } from '@svc/runtime/parts';
import { admit } from './admit.ts';
import { sendError } from './answer.ts';
import { type Exchange, exchangeOf, HttpError } from './exchange.ts';

/** The request handler; replaced once the desktop is open. */
type Handler = (exchange: Exchange) => Promise<void>;

/** A server on the loopback interface. */
export type Listening = {
  port: number;
  /** Origin for browsers. */
  origin: string;
  /** Sets the handler. */
  serve(handler: Handler): void;
  /** Ends all connections. */
  close(): Promise<void>;
};

/**
 * Listens on the loopback addresses for pages and agents. Each request must be admitted first.
 * @param port 0 for any free port
 * @param onFault receives unexpected errors
 * @throws LoopbackError if the port is not available on both addresses
 */
export async function listenForPages(port: number, onFault: (error: unknown) => void): Promise<Listening> {
  let handler: Handler = async () => {
    throw new HttpError(503, 'internal', 'svc desktop is still starting.');
  };
  let boundPort = port;
  const make = () =>
    createServer({ maxHeaderSize: 16_384 }, async (request, response) => {
      try {
        admit(request, boundPort);
        await handler(exchangeOf(request, response));
      } catch (error) {
        // The client has disconnected.
        if (!response.destroyed) sendError(response, error, onFault);
      }
    });
  const servers = await listenOnLoopback(make, port);
  boundPort = servers.port;
  return {
    port: boundPort,
    origin: `http://localhost:${boundPort}`,
    serve(next) {
      handler = next;
    },
    close: servers.close,
  };
}
