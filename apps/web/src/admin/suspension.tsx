import type { Suspension as Reason } from '@svc/contracts';
import { Dialog, DialogButtons, moment } from '@svc/ui';
import { useState } from 'react';

type SuspensionProps = {
  /** What is suspended, for the title of the dialog. */
  name: string;
  /** What the suspension does. */
  effect: string;
  suspended: boolean;
  change(json: { suspended: boolean; reason?: string }): void;
};

/** Suspends a user, a publisher or an app with a reason, or ends the suspension. */
export function Suspension({ name, effect, suspended, change }: SuspensionProps) {
  const [isOpen, setOpen] = useState(false);
  const [reason, setReason] = useState('');
  const close = () => setOpen(false);
  if (suspended)
    return (
      <button type="button" onClick={() => change({ suspended: false })}>
        Unsuspend
      </button>
    );
  return (
    <>
      <button type="button" className="quiet" onClick={() => setOpen(true)}>
        Suspend
      </button>
      {isOpen ? (
        <Dialog
          title={`Suspend ${name}`}
          leave={close}
          focusField
          buttons={
            <DialogButtons
              yes="Suspend"
              tone="bad"
              canAct={reason.trim() !== ''}
              act={() => {
                change({ suspended: true, reason: reason.trim() });
                close();
              }}
              leave={close}
            />
          }
        >
          <p className="soft">{effect}</p>
          <label>
            Reason. It is recorded, and sent to those who are suspended.
            <textarea
              rows={3}
              maxLength={2_000}
              value={reason}
              onChange={(event) => setReason(event.target.value)}
            />
          </label>
        </Dialog>
      ) : null}
    </>
  );
}

/** The badge of what is suspended, with the reason. */
export const SuspendedBadge = ({
  suspended,
  suspension,
}: {
  suspended: boolean;
  suspension?: Reason | undefined;
}) =>
  suspended ? (
    <>
      <span className="badge fault">suspended</span>
      {suspension === undefined ? null : (
        <span className="soft said">
          {suspension.reason} ({moment(suspension.at)})
        </span>
      )}
    </>
  ) : null;
