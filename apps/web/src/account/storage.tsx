import type { PublisherStorage } from '@svc/contracts';
import { exactSizeText, sizeText } from '@svc/text/quantity';
import { Card } from './parts.tsx';

/** How much of its storage a publisher uses, such as `4.2 MiB of 10 GiB`. */
export const storageText = ({ usedBytes, limitBytes }: PublisherStorage): string =>
  `${sizeText(usedBytes)} of ${limitBytes === null ? 'any size' : exactSizeText(limitBytes)}`;

/** The share of its storage from which a publisher is warned. */
const NEARLY_FULL = 0.9;

const ROOM =
  'To get room, delete apps that no user installed, or ask an administrator of the store for more.';

/** Warns the members of a publisher before an upload is refused. */
export const StorageNotice = ({ storage }: { storage: PublisherStorage }) =>
  storage.limitBytes === null || storage.usedBytes < NEARLY_FULL * storage.limitBytes ? null : (
    <p role="status">
      This publisher uses {storageText(storage)}. Uploads that need more are refused. {ROOM}
    </p>
  );

/** What a publisher has stored. */
export const Storage = ({ storage }: { storage: PublisherStorage }) => (
  <Card title="Storage">
    <p>{storageText(storage)} used</p>
    <p className="soft">
      The bundles and pictures of all versions count, also of rejected and yanked ones. {ROOM}
    </p>
  </Card>
);
