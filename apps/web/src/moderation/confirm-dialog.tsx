import { Dialog, DialogButtons } from '@svc/ui';
import { type ReactNode, useEffect, useEffectEvent } from 'react';

type ConfirmDialogProps = {
  title: string;
  hint: string;
  confirm: string;
  tone: 'main' | 'bad';
  /** What is missing for the decision; null if it can be sent. */
  missing: string | null;
  busy: boolean;
  error: Error | null;
  children: ReactNode;
  act(): void;
  leave(): void;
};

/** Sends with Ctrl+Enter or Cmd+Enter, also from a text. */
function useSendKey(canSend: boolean, send: () => void): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.repeat) return;
    event.preventDefault();
    if (canSend) send();
  });
  useEffect(() => {
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

/** A dialog that asks to confirm a final action. Its button waits for what is missing, and while the request runs. */
export function ConfirmDialog({
  title,
  hint,
  confirm,
  tone,
  missing,
  busy,
  error,
  children,
  act,
  leave,
}: ConfirmDialogProps) {
  useSendKey(!busy && missing === null, act);
  return (
    <Dialog
      title={title}
      leave={leave}
      error={error}
      focusField
      buttons={
        <DialogButtons
          yes={busy ? 'Deciding…' : confirm}
          tone={tone}
          why={busy ? '' : missing}
          act={act}
          leave={leave}
        />
      }
    >
      <p className="soft">{hint} Ctrl+Enter sends.</p>
      {children}
    </Dialog>
  );
}
