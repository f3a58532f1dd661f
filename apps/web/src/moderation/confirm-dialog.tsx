import { Dialog, DialogButtons, ErrorMessage } from '@svc/ui';
import type { ReactNode } from 'react';
import { WORDS } from './words.ts';

type ConfirmDialogProps = {
  title: string;
  hint: string;
  confirm: string;
  tone: 'main' | 'bad';
  canConfirm: boolean;
  busy: boolean;
  error: Error | null;
  children: ReactNode;
  act(): void;
  leave(): void;
};

/** A dialog that asks to confirm a final action. Its button is disabled while the request runs. */
export const ConfirmDialog = ({
  title,
  hint,
  confirm,
  tone,
  canConfirm,
  busy,
  error,
  children,
  act,
  leave,
}: ConfirmDialogProps) => (
  <Dialog
    title={title}
    leave={leave}
    focusField
    buttons={
      <DialogButtons
        yes={busy ? WORDS.decide.busy : confirm}
        tone={tone}
        canAct={!busy && canConfirm}
        act={act}
        leave={leave}
      />
    }
  >
    <p className="soft">{hint}</p>
    {children}
    <ErrorMessage error={error} />
  </Dialog>
);
