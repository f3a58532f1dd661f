import { type KeyboardEvent, type ReactNode, type RefObject, useId } from 'react';
import { WORDS } from './words.ts';

const MESSAGES = WORDS.decide;

type ConfirmDialogProps = {
  dialog: RefObject<HTMLDialogElement | null>;
  title: string;
  hint: string;
  confirm: string;
  tone: 'main' | 'bad';
  canConfirm: boolean;
  busy: boolean;
  fault: string;
  children: ReactNode;
  act(): void;
};

/** A dialog that asks to confirm a final action. Its button is disabled while the request runs. */
export function ConfirmDialog({
  dialog,
  title,
  hint,
  confirm,
  tone,
  canConfirm,
  busy,
  fault,
  children,
  act,
}: ConfirmDialogProps) {
  const id = useId();
  // A held key repeats: the key press that opened the dialog must not confirm it.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && event.repeat) event.preventDefault();
  };
  return (
    <dialog ref={dialog} aria-labelledby={id} onKeyDown={onKeyDown}>
      <h2 id={id}>{title}</h2>
      <p className="soft">{hint}</p>
      {children}
      <p role="alert" className="fault" hidden={fault === ''}>
        {fault}
      </p>
      <div className="buttons dialog-buttons">
        <button type="button" className={tone} disabled={busy || !canConfirm} onClick={act}>
          {busy ? MESSAGES.busy : confirm}
        </button>
        <button type="button" onClick={() => dialog.current?.close()}>
          {MESSAGES.cancel}
        </button>
      </div>
    </dialog>
  );
}
