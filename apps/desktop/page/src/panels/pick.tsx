import { useState } from 'react';
import { Dialog, DialogButtons } from '../parts/dialog.tsx';
import { ErrorMessage } from '../parts/parts.tsx';
import { visible } from '../parts/visible.ts';
import type { FilePick } from '../wire/live.ts';
import { useDesk, useLive, useLiveState } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';

const MESSAGES = WORDS.panels;

/** A panel asks for files: the person chooses, and what is not chosen stays unknown to it. */
function PickDialog({ pick: { pickId, appId, accept, multiple } }: { pick: FilePick }) {
  const desk = useDesk();
  const live = useLive();
  const [files, setFiles] = useState<readonly File[]>([]);
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const hand = async (chosen: readonly File[]) => {
    if (isBusy) return;
    setBusy(true);
    try {
      const uploads = await Promise.all(chosen.map((file) => desk.upload(file)));
      await desk.ask('panels.picked', { pickId, uploads: uploads.map(({ id }) => id) });
      live.picked(pickId);
    } catch (fault) {
      setError(fault instanceof Error ? fault : new Error(String(fault)));
      setBusy(false);
    }
  };
  const buttons = (
    <DialogButtons
      yes={MESSAGES.pickYes}
      canAct={!isBusy && files.length > 0}
      canLeave={!isBusy}
      act={() => hand(files)}
      leave={() => hand([])}
    />
  );
  return (
    <Dialog title={MESSAGES.pick(visible(appId))} leave={() => hand([])} buttons={buttons}>
      <p className="soft">{MESSAGES.pickHint(accept.join(', '))}</p>
      <label className="field">
        {MESSAGES.pickFile}
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

/** What panels ask for, one after the other. */
export function PickQueue() {
  const [first] = useLiveState().picks;
  return first ? <PickDialog key={first.pickId} pick={first} /> : null;
}
