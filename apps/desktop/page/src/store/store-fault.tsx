import { ErrorMessage } from '@svc/ui';
import { RefusedError } from '../wire/desktop-client.ts';
import { WORDS } from '../words.ts';

/** Says that the store cannot be reached, and that installed apps keep working. */
export function StoreFault({ error, retry }: { error: Error | null; retry(): unknown }) {
  if (!error) return null;
  const isAway = error instanceof RefusedError && error.code === 'store-unreachable';
  return (
    <div className="banner">
      {isAway ? <span role="alert">{WORDS.connection.storeAway}</span> : <ErrorMessage error={error} />}
      <button type="button" onClick={() => retry()}>
        {WORDS.again}
      </button>
    </div>
  );
}
