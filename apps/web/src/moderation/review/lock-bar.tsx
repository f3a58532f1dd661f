import { ConfirmButton } from '@svc/ui';
import { useSignedIn } from '../../account/use-store.ts';
import { useWho } from '../who.ts';
import type { LockStatus } from './use-lock.ts';

const TIME = new Intl.DateTimeFormat('en', { timeStyle: 'short' });
const at = (iso: string): string => TIME.format(new Date(iso));

function textOf(lockStatus: LockStatus, who: (by: string) => string): string {
  switch (lockStatus.kind) {
    case 'taking':
      return 'Locking this version for you…';
    case 'mine':
      return `Locked by you until ${at(lockStatus.until)}. The lock is renewed while this page is open.`;
    case 'others':
      return lockStatus.wasMine
        ? `Your lock expired, and ${who(lockStatus.lock.by)} locked this version. Your text is kept.`
        : `Locked by ${who(lockStatus.lock.by)} until ${at(lockStatus.lock.until)}. You can read this version; to decide, override the lock.`;
    case 'handled':
      return `Not in review: this version is ${lockStatus.status}.`;
    case 'failed':
      return `This version could not be locked: ${lockStatus.message}`;
  }
}

/** The lock of the open version, and the actions on it. */
export function LockBar({
  lockStatus,
  take,
  takeAway,
}: {
  lockStatus: LockStatus;
  take(): Promise<void>;
  takeAway(): Promise<void>;
}) {
  const who = useWho();
  const { role } = useSignedIn();
  const { kind } = lockStatus;
  const isFree = kind === 'mine' || kind === 'taking';
  return (
    <div className={`lock-bar ${isFree ? '' : 'warned'}`}>
      <p role={isFree ? 'status' : 'alert'}>{textOf(lockStatus, who)}</p>
      {kind === 'others' || kind === 'failed' ? (
        <span className="buttons">
          <button type="button" onClick={() => void take()}>
            Retry the lock
          </button>
          {kind === 'others' && role === 'administrator' ? (
            <ConfirmButton
              label="Take over the lock"
              sure="Take over the lock of a moderator who may be reviewing?"
              act={() => void takeAway()}
            />
          ) : null}
        </span>
      ) : null}
    </div>
  );
}
