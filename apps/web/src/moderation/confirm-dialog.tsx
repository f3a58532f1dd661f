import { Dialog, DialogButtons, ErrorMessage } from '@svc/ui';
import { type ReactNode, useEffect, useRef } from 'react';

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

/** Sends with Ctrl+Enter or Cmd+Enter, also from a text. */
function useSendKey(canSend: boolean, send: () => void): void {
  const latest = useRef({ canSend, send });
  latest.current = { canSend, send };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.repeat) return;
      event.preventDefault();
      if (latest.current.canSend) latest.current.send();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

/** A dialog that asks to confirm a final action. Its button is disabled while the request runs. */
export function ConfirmDialog({
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
}: ConfirmDialogProps) {
  useSendKey(!busy && canConfirm, act);
  return (
    <Dialog
      title={title}
      leave={leave}
      focusField
      buttons={
        <DialogButtons
          yes={busy ? 'Deciding…' : confirm}
          tone={tone}
          canAct={!busy && canConfirm}
          act={act}
          leave={leave}
        />
      }
    >
      <p className="soft">{hint} Ctrl+Enter sends.</p>
      {children}
      <ErrorMessage error={error} />
    </Dialog>
  );
}
