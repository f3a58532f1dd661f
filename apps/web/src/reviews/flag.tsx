import type { FlagReason } from '@svc/contracts';
import { apiRequest, type BodyOf } from '@svc/contracts/client';
import { LIMITS } from '@svc/contracts/vocabulary';
import { ErrorMessage, Options } from '@svc/ui';
import { Fields, OpenForm, textOf } from '../account/parts.tsx';
import { useChange } from '../account/use-store.ts';

/** The reasons for a report, as the user who reports reads them. */
const FLAG_WORDS: Readonly<Record<FlagReason, string>> = {
  spam: 'Spam, or not a review',
  abuse: 'Insults or threatens a person',
  'off-topic': 'Not about the app',
  privacy: 'Reveals private information about a person',
  other: 'Something else',
};

function FlagFields() {
  return (
    <>
      <label>
        Reason
        {/* biome-ignore lint/a11y/noAutofocus: the form replaces the button that was pressed */}
        <select name="reason" autoFocus>
          <Options of={Object.entries(FLAG_WORDS)} />
        </select>
      </label>
      <label>
        Details
        <small>Optional. Only moderators read it.</small>
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
        {flag.isSuccess ? 'Reported. The review stays public until a moderator decides.' : ''}
      </p>
      {flag.isSuccess ? null : (
        <OpenForm label="Report">
          {(close) => (
            <section aria-label="Send report">
              <Fields action="Send report" busy={flag.isPending} submit={submit}>
                <FlagFields />
              </Fields>
              <button type="button" onClick={close}>
                Cancel
              </button>
            </section>
          )}
        </OpenForm>
      )}
      <ErrorMessage error={flag.error} />
    </>
  );
}
