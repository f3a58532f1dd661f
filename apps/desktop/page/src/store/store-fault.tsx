import { ErrorMessage } from '../parts/parts.tsx';
import { RefusedError } from '../wire/ask.ts';
import { WORDS } from '../words.ts';

/** That the store did not answer, and that this keeps nothing on this machine from working. */
export function StoreFault({ error, again }: { error: Error | null; again(): unknown }) {
  if (!error) return null;
  const isAway = error instanceof RefusedError && error.code === 'store-unreachable';
  return (
    <div className="banner">
      {isAway ? <span role="alert">{WORDS.connection.storeAway}</span> : <ErrorMessage error={error} />}
      <button type="button" onClick={() => again()}>
        {WORDS.again}
      </button>
    </div>
  );
}
