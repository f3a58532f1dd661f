import type { ApiRequest } from '@svc/contracts/client';
import { Check, TextArea, textOf } from '@svc/ui';
import { ChangeForm } from '../account/parts.tsx';

type Messages<O extends string> = {
  decide: string;
  outcome: string;
  outcomes: Readonly<Record<O, string>>;
  note: string;
};

/** The form in which a moderator decides: an outcome, and a note that those concerned read. */
export function DecisionForm<O extends string>({
  messages,
  outcomes,
  action,
  request,
}: {
  messages: Messages<O>;
  outcomes: readonly O[];
  action: string;
  request(json: { outcome: O; note: string }): ApiRequest<unknown>;
}) {
  const requestOf = (data: FormData) =>
    request({ outcome: String(data.get('outcome')) as O, note: textOf(data, 'note') });
  return (
    <details open>
      <summary>{messages.decide}</summary>
      <ChangeForm action={action} request={requestOf}>
        <fieldset>
          <legend>{messages.outcome}</legend>
          {outcomes.map((outcome) => (
            <Check
              key={outcome}
              label={messages.outcomes[outcome]}
              type="radio"
              name="outcome"
              value={outcome}
              required
            />
          ))}
        </fieldset>
        <TextArea label={messages.note} name="note" required maxLength={2_000} rows={3} />
      </ChangeForm>
    </details>
  );
}
