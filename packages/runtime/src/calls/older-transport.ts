import { ReadableStream as NodeStream } from 'node:stream/web';
import { SSEClientTransport } from '@modelcontextprotocol/client';
import { guarded } from '@svc/contracts/guarded';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { orAborted } from '../platform/within-time.ts';
import { limitEvents, wholeEvents } from './lenient/limit-notifications.ts';

type Fetch = typeof globalThis.fetch;

/** How long a server has to send the address for messages on its stream, in milliseconds. */
const ENDPOINT_MS = 10_000;

/** "No Content" ends an event source for good (HTML standard, "Server-sent events"). */
const NO_MORE = 204;

/**
 * The transport HTTP+SSE of MCP 2024-11-05: one stream with the address for messages and all answers. A stream that ends, ends the
 * connection: a second one would be another session.
 */
export class OlderTransport extends SSEClientTransport {
  /** Resolves when the stream has ended. */
  readonly gone: Promise<void>;
  readonly #start: () => Promise<void>;

  constructor(
    url: URL,
    { fetch, system, signal }: { fetch: Fetch; system: Pick<System, 'now' | 'sleep'>; signal: AbortSignal },
  ) {
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    /** What the event source does not pass on. */
    let failure: unknown = null;
    let isOpened = false;
    const end = guarded(() => {
      resolve();
      return this.close();
    });
    async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
      try {
        yield* limitEvents(wholeEvents(body), system);
      } catch (error) {
        failure ??= error;
        throw error;
      } finally {
        setImmediate(end);
      }
    }
    const open: Fetch = async (input, init) => {
      if (isOpened) return new Response(null, { status: NO_MORE });
      isOpened = true;
      const response = await fetch(input, init).catch((error: unknown) => {
        failure = error;
        throw error;
      });
      const { body, status, headers } = response;
      if (!response.ok || !body) return response;
      return new Response(NodeStream.from(eventsOf(body)) as ReadableStream<Uint8Array>, { status, headers });
    };
    // Our fetch follows redirects, as it knows the allowed hosts.
    super(url, { fetch, eventSourceInit: { fetch: open as never }, redirectPolicy: 'follow' });
    this.gone = gone;
    this.#start = async () => {
      const over = new AbortController();
      const late = system.sleep(ENDPOINT_MS, over.signal).then(
        () => {
          throw new RuntimeError(
            'too-slow',
            `${url.host} opened a stream of the transport HTTP+SSE, and sent no address for messages on it.`,
          );
        },
        () => undefined,
      );
      try {
        const started = super.start();
        await orAborted(signal, Promise.race([started, late]));
      } catch (error) {
        await this.close();
        throw failure ?? error;
      } finally {
        over.abort();
      }
    };
  }

  override start(): Promise<void> {
    return this.#start();
  }
}
