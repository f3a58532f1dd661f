import { InstallId } from '@svc/contracts';
import type { VersionRef } from '../domain/versions/version-store.ts';
import { networkOf } from '../platform/network-of.ts';
import type { Mac } from '../platform/secret.ts';
import type { Clock, UnitOfWork } from '../platform/system.ts';
import { type CountStores, countInstalls, type Download } from './count-installs.ts';

/** Downloads that wait to be counted, in all and from one network; beyond them none is counted. */
const MAX_WAITING = 20_000;
const MAX_OF_NETWORK = 200;
/** So many are counted in one transaction: all others wait for it. */
const AT_ONCE = 100;
/** Bits of an IPv6 address that are seen as one network: many a provider gives a /48 to each customer (RFC 6177). */
const SITE_BITS = 48;

/** A download that says by which installation it is. */
export type RecordedDownload = VersionRef & { installId: string | undefined; address: string | null };

/** Notes which installations fetch what, behind the back of the requests that fetch it. */
export type DownloadRecorder = {
  /** Queues a download. Never fails, and takes no time; an id that is none is ignored. */
  recordDownload(download: RecordedDownload): void;
  /** Counts what was queued; what cannot be written waits for the next time. */
  writeInstalls(): Promise<void>;
  /** Counts what was queued if that installation is among it. */
  settleInstall(idHash: string): Promise<void>;
};

/** The form in which an installation of an app is known: nothing tells that two apps are on one machine. */
export const hashOfInstall = (seal: Mac, appId: string, installId: string): string =>
  seal(`install\n${appId}\n${installId}`);

const keyOf = ({ idHash, day, version }: Download): string => `${idHash}\n${day}\n${version}`;

const compare = (a: string, b: string): number => Number(a > b) - Number(a < b);

export function createDownloadRecorder({
  unitOfWork,
  clock,
  installMac,
}: {
  unitOfWork: UnitOfWork<CountStores>;
  clock: Clock;
  installMac: Mac;
}): DownloadRecorder {
  const waiting = new Map<string, Download>();
  const perNetwork = new Map<string, number>();
  let writing: Promise<void> = Promise.resolve();

  function hold(download: Download): void {
    const key = keyOf(download);
    const fromThere = perNetwork.get(download.networkHash) ?? 0;
    if (waiting.has(key) || waiting.size >= MAX_WAITING || fromThere >= MAX_OF_NETWORK) return;
    waiting.set(key, download);
    perNetwork.set(download.networkHash, fromThere + 1);
  }

  function release(download: Download): void {
    const { networkHash } = download;
    waiting.delete(keyOf(download));
    const left = (perNetwork.get(networkHash) ?? 1) - 1;
    if (left > 0) perNetwork.set(networkHash, left);
    else perNetwork.delete(networkHash);
  }

  async function writeAll(): Promise<void> {
    // What is counted for an app costs the same for one download or for many.
    const all = [...waiting.values()].sort((a, b) => compare(a.appId, b.appId));
    for (let from = 0; from < all.length; from += AT_ONCE) {
      const downloads = all.slice(from, from + AT_ONCE);
      for (const download of downloads) release(download);
      await unitOfWork((stores) => countInstalls(stores, downloads)).catch((error: unknown) => {
        for (const download of downloads) hold(download);
        throw error;
      });
    }
  }

  const writeInstalls = (): Promise<void> => {
    const turn = writing.then(writeAll);
    writing = turn.catch(() => {});
    return turn;
  };

  return {
    recordDownload({ appId, version, installId, address }) {
      const id = InstallId.safeParse(installId);
      if (!id.success) return;
      hold({
        appId,
        version,
        day: clock().toISOString().slice(0, 10),
        idHash: hashOfInstall(installMac, appId, id.data),
        networkHash: installMac(`network\n${networkOf(address, SITE_BITS)}`),
      });
    },
    writeInstalls,
    async settleInstall(idHash) {
      // What is being written now is seen once that has ended.
      await writing;
      const isWaiting = waiting.values().some((download) => download.idHash === idHash);
      if (isWaiting) await writeInstalls();
    },
  };
}
