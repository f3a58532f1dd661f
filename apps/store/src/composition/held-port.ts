import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { guarded, reportFault } from '@svc/contracts/guarded';

/** A port that this process holds, so that no other takes it before the store is open and serves on it. */
export type HeldPort = { port: number; holder: Server };

/** Holds a free port that the system chooses, on all addresses. */
export async function holdFreePort(): Promise<HeldPort> {
  const holder = createServer();
  holder.on('error', guarded(reportFault));
  holder.on(
    'connection',
    guarded((socket) => {
      socket.destroy();
    }),
  );
  holder.listen(0);
  await once(holder, 'listening');
  return { port: (holder.address() as AddressInfo).port, holder };
}
