import { visible } from '@svc/text';
import { Dialog, DialogButtons, ErrorMessage } from '@svc/ui';
import { useState } from 'react';
import type { FilePick } from '../wire/live.ts';
import { useDesktopClient, useLive, useLiveState } from '../wire/use-desktop.ts';

const pickHintText = (accept: string) => (accept ? `Accepted types: ${accept}` : 'Any type.');

/** Lets the user choose files for a panel, which learns only about the chosen ones. */
function PickDialog({ pick: { pickId, appId, accept, multiple } }: { pick: FilePick }) {
  const desktop = useDesktopClient();
  const live = useLive();
  const [files, setFiles] = useState<readonly File[]>([]);
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const share = async (chosen: readonly File[]) => {
    if (isBusy) return;
    setBusy(true);
    try {
      const uploads = await Promise.all(chosen.map((file) => desktop.upload(file)));
      await desktop.request('panels.picked', { pickId, uploads: uploads.map(({ id }) => id) });
      live.picked(pickId);
    } catch (cause) {
      setError(cause instanceof Error ? cause : new Error(String(cause)));
      setBusy(false);
    }
  };
  const buttons = (
    <DialogButtons
      yes="Share"
      canAct={!isBusy && files.length > 0}
      canLeave={!isBusy}
      act={() => share(files)}
      leave={() => share([])}
    />
  );
  return (
    <Dialog title={`Choose files for ${visible(appId)}`} leave={() => share([])} buttons={buttons}>
      <p className="soft">{pickHintText(accept.join(', '))}</p>
      <label className="field">
        Files
        <input
          type="file"
          multiple={multiple}
          accept={accept.join(',')}
          onChange={(event) => setFiles([...(event.target.files ?? [])])}
        />
      </label>
      <ErrorMessage error={error} />
    </Dialog>
  );
}

/** File requests of panels, one after the other. */
export function PickQueue() {
  const [first] = useLiveState().picks;
  return first ? <PickDialog key={first.pickId} pick={first} /> : null;
}
