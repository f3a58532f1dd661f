import { visible } from '@svc/text';
import { Dialog, DialogButtons, Field } from '@svc/ui';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { FilePick } from '../wire/live.ts';
import { useDesktopClient, useLive, useLiveState } from '../wire/use-desktop.ts';

/** Lets the user choose files for a panel, which learns only about the chosen ones. */
function PickDialog({ pick: { pickId, appId, accept, multiple } }: { pick: FilePick }) {
  const desktop = useDesktopClient();
  const live = useLive();
  const [files, setFiles] = useState<readonly File[]>([]);
  const share = useMutation({
    mutationFn: async (chosen: readonly File[]) => {
      const uploads = await Promise.all(chosen.map((file) => desktop.upload(file)));
      await desktop.request('panels.picked', { pickId, uploads: uploads.map(({ id }) => id) });
      live.picked(pickId);
    },
  });
  const isBusy = share.isPending || share.isSuccess;
  const leave = () => isBusy || share.mutate([]);
  const buttons = (
    <DialogButtons
      yes="Share"
      why={isBusy ? '' : files.length === 0 ? 'Choose a file first.' : null}
      canLeave={!isBusy}
      act={() => share.mutate(files)}
      leave={leave}
    />
  );
  return (
    <Dialog title={`Choose files for ${visible(appId)}`} leave={leave} buttons={buttons} error={share.error}>
      <p className="soft">{accept.length > 0 ? `Accepted types: ${accept.join(', ')}` : 'Any type.'}</p>
      <Field
        label="Files"
        type="file"
        multiple={multiple}
        accept={accept.join(',')}
        onChange={(event) => setFiles([...(event.target.files ?? [])])}
      />
    </Dialog>
  );
}

/** File requests of panels, one after the other. */
export function PickQueue() {
  const [first] = useLiveState().picks;
  return first ? <PickDialog key={first.pickId} pick={first} /> : null;
}
