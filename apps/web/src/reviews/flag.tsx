import { apiRequest, type BodyOf } from '@svc/contracts/client';
import { LIMITS } from '@svc/contracts/vocabulary';
import { ErrorMessage } from '@svc/ui';
import { Fields, OpenForm, textOf } from '../account/parts.tsx';
import { useChange } from '../account/use-store.ts';
import { FLAG_WORDS, WORDS } from './words.ts';

const { flag: words } = WORDS;

function FlagFields() {
  return (
    <>
      <label>
        {words.reason}
        {/* biome-ignore lint/a11y/noAutofocus: the form replaces the button that was pressed */}
        <select name="reason" autoFocus>
          {Object.entries(FLAG_WORDS).map(([reason, text]) => (
            <option key={reason} value={reason}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <label>
        {words.note}
        <small>{words.noteHint}</small>
        <textarea name="note" rows={2} maxLength={LIMITS.ratings.flagNote} />
      </label>
    </>
  );
}

type FlagBody = BodyOf<'POST /api/apps/:appId/reviews/:id/flag'>;

/** Reports a review to the moderators. @param id id of the review */
export function Flag({ appId, id }: { appId: string; id: string }) {
  const flag = useChange((json: FlagBody) =>
    apiRequest('POST /api/apps/:appId/reviews/:id/flag', { params: { appId, id }, json }),
  );
  const submit = (data: FormData) => {
    const note = textOf(data, 'note');
    return flag.mutateAsync({ reason: textOf(data, 'reason') as FlagBody['reason'], ...(note && { note }) });
  };
  return (
    <>
      <p role="status" className="good" hidden={!flag.isSuccess}>
        {flag.isSuccess ? words.done : ''}
      </p>
      {flag.isSuccess ? null : (
        <OpenForm label={words.open}>
          {(close) => (
            <section aria-label={words.action}>
              <Fields action={words.action} busy={flag.isPending} submit={submit}>
                <FlagFields />
              </Fields>
              <button type="button" onClick={close}>
                {WORDS.cancel}
              </button>
            </section>
          )}
        </OpenForm>
      )}
      <ErrorMessage error={flag.error} />
    </>
  );
}
