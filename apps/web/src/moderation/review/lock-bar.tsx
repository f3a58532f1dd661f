import { ConfirmButton } from '@svc/ui';
import { useSignedIn } from '../../account/use-store.ts';
import { useWho } from '../who.ts';
import { WORDS } from '../words.ts';
import type { LockStatus } from './use-lock.ts';

const MESSAGES = WORDS.review;
const TIME = new Intl.DateTimeFormat('en', { timeStyle: 'short' });
const at = (iso: string): string => TIME.format(new Date(iso));

function textOf(lockStatus: LockStatus, who: (by: string) => string): string {
  switch (lockStatus.kind) {
    case 'taking':
      return MESSAGES.lockTaking;
    case 'mine':
      return MESSAGES.lockMine(at(lockStatus.until));
    case 'others':
      return lockStatus.wasMine
        ? MESSAGES.lockLost(who(lockStatus.lock.by))
        : MESSAGES.lockOthers(who(lockStatus.lock.by), at(lockStatus.lock.until));
    case 'handled':
      return MESSAGES.handled(lockStatus.status);
    case 'failed':
      return `${MESSAGES.lockFailed} ${lockStatus.message}`;
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
            {MESSAGES.lockTake}
          </button>
          {kind === 'others' && role === 'administrator' ? (
            <ConfirmButton
              label={MESSAGES.lockTakeAway}
              sure={MESSAGES.lockTakeAwaySure}
              act={() => void takeAway()}
            />
          ) : null}
        </span>
      ) : null}
    </div>
  );
}
