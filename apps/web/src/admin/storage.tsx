import type { PublisherStorage } from '@svc/contracts';
import { Field, textOf } from '@svc/ui';
import type { Act } from '../account/acts.tsx';
import { storageText } from '../account/storage.tsx';

const MIB = 1024 * 1024;

/** Chooses how much a publisher may store. */
export const storageAct = ({
  name,
  storage,
  change,
}: {
  name: string;
  storage: PublisherStorage;
  change(json: { storageMiB: number | null }): Promise<unknown>;
}): Act => ({
  label: 'Storage…',
  title: `Storage of ${name}`,
  yes: 'Save',
  tone: 'main',
  effect: `It uses ${storageText(storage)}. Uploads beyond the limit are refused; what is stored stays.`,
  notice: 'No mail is sent. The audit log records it.',
  fields: (
    <Field
      label="MiB"
      hint="Empty for the limit of the policy of the store."
      name="mib"
      type="number"
      min={0}
      step={1}
      defaultValue={storage.isOwn && storage.limitBytes !== null ? storage.limitBytes / MIB : ''}
    />
  ),
  send: (data) => {
    const mib = textOf(data, 'mib');
    return change({ storageMiB: mib === '' ? null : Number(mib) });
  },
});
