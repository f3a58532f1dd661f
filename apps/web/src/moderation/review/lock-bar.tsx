import { SureButton } from '../../account/parts.tsx';
import { useSignedIn } from '../../account/use-store.ts';
import { useWho } from '../who.ts';
import { WORDS } from '../words.ts';
import type { LockStanding } from './use-lock.ts';

const SAY = WORDS.review;
const TIME = new Intl.DateTimeFormat('en', { timeStyle: 'short' });
const at = (iso: string): string => TIME.format(new Date(iso));

function wordsOf(standing: LockStanding, who: (by: string) => string): string {
  switch (standing.kind) {
    case 'taking':
      return SAY.lockTaking;
    case 'mine':
      return SAY.lockMine(at(standing.until));
    case 'others':
      return standing.wasMine
        ? SAY.lockLost(who(standing.lock.by))
        : SAY.lockOthers(who(standing.lock.by), at(standing.lock.until));
    case 'handled':
      return SAY.handled(standing.status);
    case 'failed':
      return `${SAY.lockFailed} ${standing.message}`;
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
            {SAY.lockTake}
          </button>
          {kind === 'others' && role === 'administrator' ? (
            <SureButton label={SAY.lockTakeAway} sure={SAY.lockTakeAwaySure} act={() => void takeAway()} />
          ) : null}
        </span>
      ) : null}
    </div>
  );
}
