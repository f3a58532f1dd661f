import { ErrorMessage } from '@svc/ui';
import { Fields, textOf } from '../account/parts.tsx';

type Messages<O extends string> = {
  decide: string;
  outcome: string;
  outcomes: Readonly<Record<O, string>>;
  note: string;
};

/** A folded form in which a moderator decides: an outcome, and a note that those concerned read. */
export function DecisionForm<O extends string>({
  messages,
  outcomes,
  action,
  decision,
}: {
  messages: Messages<O>;
  outcomes: readonly O[];
  action: string;
  decision: {
    isPending: boolean;
    error: Error | null;
    mutateAsync(of: { outcome: O; note: string }): Promise<unknown>;
  };
}) {
  const submit = (data: FormData) =>
    decision.mutateAsync({ outcome: String(data.get('outcome')) as O, note: textOf(data, 'note') });
  return (
    <details>
      <summary>{messages.decide}</summary>
      <Fields action={action} busy={decision.isPending} submit={submit}>
        <fieldset>
          <legend>{messages.outcome}</legend>
          {outcomes.map((outcome) => (
            <label key={outcome} className="choice">
              <input type="radio" name="outcome" value={outcome} required />
              {messages.outcomes[outcome]}
            </label>
          ))}
        </fieldset>
        <label>
          {messages.note}
          <textarea name="note" required maxLength={2_000} rows={3} />
        </label>
      </Fields>
      <ErrorMessage error={decision.error} />
    </details>
  );
}
