import { ConfirmButton } from '../../account/parts.tsx';
import { useSignedIn } from '../../account/use-store.ts';
import { useWho } from '../who.ts';
import { WORDS } from '../words.ts';
import type { LockStanding } from './use-lock.ts';

const MESSAGES = WORDS.review;
const TIME = new Intl.DateTimeFormat('en', { timeStyle: 'short' });
const at = (iso: string): string => TIME.format(new Date(iso));

function wordsOf(standing: LockStanding, who: (by: string) => string): string {
  switch (standing.kind) {
    case 'taking':
      return MESSAGES.lockTaking;
    case 'mine':
      return MESSAGES.lockMine(at(standing.until));
    case 'others':
      return standing.wasMine
        ? MESSAGES.lockLost(who(standing.lock.by))
        : MESSAGES.lockOthers(who(standing.lock.by), at(standing.lock.until));
    case 'handled':
      return MESSAGES.handled(standing.status);
    case 'failed':
      return `${MESSAGES.lockFailed} ${standing.message}`;
  }
}

/** Who holds the version that is open, and what can be done about it. */
export function LockBar({
  standing,
  take,
  takeAway,
}: {
  standing: LockStanding;
  take(): Promise<void>;
  takeAway(): Promise<void>;
}) {
  const who = useWho();
  const { role } = useSignedIn();
  const { kind } = standing;
  const isFree = kind === 'mine' || kind === 'taking';
  return (
    <div className={`lock-bar ${isFree ? '' : 'warned'}`}>
      <p role={isFree ? 'status' : 'alert'}>{wordsOf(standing, who)}</p>
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
