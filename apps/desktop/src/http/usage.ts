import { guarded } from '@svc/contracts/guarded';
import type { System } from '@svc/runtime';
import type { Exchange } from './exchange.ts';

/** Tracks whether the desktop is in use: pages and agents keep a stream open while they are connected. */
export function createUsage({ now }: Pick<System, 'now'>) {
  let open = 0;
  let usedAt = now();
  return {
    watch: (serve: (exchange: Exchange) => Promise<void>) => (exchange: Exchange) => {
      open += 1;
      const onClose = () => {
        open -= 1;
        usedAt = now();
      };
      exchange.response.once('close', guarded(onClose));
      return serve(exchange);
    },
    /** Time since the last use, in milliseconds. */
    idleMs: () => (open > 0 ? 0 : now() - usedAt),
  };
}
