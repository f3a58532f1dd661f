import { byCodeUnit, InstallId } from '@svc/contracts';
import { networkOf, SITE_BITS } from '../../platform/network-of.ts';
import type { Mac } from '../../platform/secret.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import type { Parts } from '../domain/parts/parts.ts';
import type { VersionRef } from '../domain/versions/version-record.ts';
import { type CountStores, countInstalls, type Download } from './count-installs.ts';

/** The most queued downloads, in all and from one network; further ones are not counted. */
const MAX_QUEUED = 20_000;
const MAX_OF_NETWORK = 200;
/** Downloads counted in one transaction. All other writers wait for it. */
const BATCH = 100;
/** A download with the id of the installation, as the client sent it. */
export type RecordedDownload = VersionRef & { installId: string | undefined; address: string | null };

/** The hash under which an installation of an app is stored. It does not reveal that two apps are on one machine. */
export const hashOfInstall = (installMac: Mac, appId: string, installId: string): string =>
  installMac(`install\n${appId}\n${installId}`);

const keyOf = ({ idHash, day, version }: Download): string => `${idHash}\n${day}\n${version}`;

export function createDownloadRecorder({
  unitOfWork,
  clock,
  installMac,
}: Pick<Parts, 'clock'> & { unitOfWork: UnitOfWork<CountStores>; installMac: Mac }) {
  const queue = new Map<string, Download>();
  const perNetwork = new Map<string, number>();
  let writing: Promise<void> = Promise.resolve();

  function enqueue(download: Download): void {
    const key = keyOf(download);
    const ofNetwork = perNetwork.get(download.networkHash) ?? 0;
    if (queue.has(key) || queue.size >= MAX_QUEUED || ofNetwork >= MAX_OF_NETWORK) return;
    queue.set(key, download);
    perNetwork.set(download.networkHash, ofNetwork + 1);
  }

  function dequeue(download: Download): void {
    const { networkHash } = download;
    queue.delete(keyOf(download));
    const remaining = (perNetwork.get(networkHash) ?? 1) - 1;
    if (remaining > 0) perNetwork.set(networkHash, remaining);
    else perNetwork.delete(networkHash);
  }

  async function writeAll(): Promise<void> {
    // By app: updating the rank of an app costs the same for one download or for many.
    const all = [...queue.values()].sort((a, b) => byCodeUnit(a.appId, b.appId));
    for (let from = 0; from < all.length; from += BATCH) {
      const downloads = all.slice(from, from + BATCH);
      for (const download of downloads) dequeue(download);
      await unitOfWork((stores) => countInstalls(stores, downloads)).catch((error: unknown) => {
        for (const download of downloads) enqueue(download);
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
    /** Queues a download. Never fails and never waits; a malformed id is ignored. */
    recordDownload({ appId, version, installId, address }: RecordedDownload) {
      // Most downloads have no id, and a refusal of zod costs more than sending a bundle.
      if (installId === undefined) return;
      const id = InstallId.safeParse(installId);
      if (!id.success) return;
      enqueue({
        appId,
        version,
        day: clock().toISOString().slice(0, 10),
        idHash: hashOfInstall(installMac, appId, id.data),
        networkHash: installMac(`network\n${networkOf(address, SITE_BITS)}`),
      });
    },
    /** Counts the queued downloads. Those that cannot be written stay in the queue. */
    writeInstalls,
    /** Counts the queued downloads if this installation is among them. */
    async settleInstall(idHash: string) {
      // A download that is being written is visible once that has ended.
      await writing;
      const isWaiting = queue.values().some((download) => download.idHash === idHash);
      if (isWaiting) await writeInstalls();
    },
  };
}

/** Records which installations download which versions, in the background. */
export type DownloadRecorder = ReturnType<typeof createDownloadRecorder>;
