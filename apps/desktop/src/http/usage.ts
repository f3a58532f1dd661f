import type { System } from '@svc/runtime';
import type { Exchange } from './exchange.ts';

/** Whether anybody uses the desktop: pages and agents both hold a stream open for as long as they are there. */
export type Usage = {
  watch(serve: (exchange: Exchange) => Promise<void>): (exchange: Exchange) => Promise<void>;
  /** For how long nobody did, in milliseconds. */
  idleMs(): number;
};

export function createUsage({ now }: Pick<System, 'now'>): Usage {
  let open = 0;
  let usedAt = now();
  return {
    watch: (serve) => (exchange) => {
      open += 1;
      exchange.response.once('close', () => {
        open -= 1;
        usedAt = now();
      });
      return serve(exchange);
    },
    idleMs: () => (open > 0 ? 0 : now() - usedAt),
  };
}
