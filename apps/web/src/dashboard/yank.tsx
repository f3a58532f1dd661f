import type { InstallChart } from '@svc/contracts';
import { ErrorMessage, Fields, OpenForm, textOf } from '../account/parts.tsx';
import { useChange, useRead } from '../account/use-store.ts';
import { LONGEST, ofVersion, pathOfChart } from './install-sums.ts';
import { WORDS } from './words.ts';

const { yank: words } = WORDS;

/** Longest reason, in UTF-16 code units, as the store takes it. */
const MAX_REASON = 2_000;

type YankProps = {
  path: string;
  /** Of the app, for those who act for its publisher. */
  ownPath: string;
  version: string;
};

/** How many the version is known to have reached: of those who have it now, the store knows none. */
function Reach({ ownPath, version }: YankProps) {
  const { data, error } = useRead<InstallChart>(pathOfChart(ownPath, LONGEST));
  if (data !== undefined) return words.reach(LONGEST, ofVersion(data, version));
  return error === null ? words.reachAsked : words.reachUnknown;
}

function YankForm({ close, ...props }: YankProps & { close(): void }) {
  const { path, version } = props;
  const yank = useChange((json: { reason: string }) => ({ method: 'POST', path: `${path}/yank`, json }));
  return (
    <section className="danger" aria-label={words.title(version)}>
      <p>
        <strong>{words.title(version)}</strong> {words.warning} {words.final}
      </p>
      <p role="status">
        <Reach {...props} />
      </p>
      <Fields
        action={words.action(version)}
        busy={yank.isPending}
        submit={(data) => yank.mutateAsync({ reason: textOf(data, 'reason') })}
      >
        <label>
          {words.reason}
          <small>{words.reasonHint}</small>
          <textarea
            name="reason"
            required
            maxLength={MAX_REASON}
            rows={3}
            // biome-ignore lint/a11y/noAutofocus: the form stands where the button was that was pressed
            autoFocus
          />
        </label>
      </Fields>
      <button type="button" onClick={close}>
        {words.cancel}
      </button>
      <ErrorMessage error={yank.error} />
    </section>
  );
}

/** Withdraws a published version, after saying whom that hits, for a reason. */
export const Yank = (props: YankProps) => (
  <OpenForm label={words.open(props.version)} className="bad">
    {(close) => <YankForm {...props} close={close} />}
  </OpenForm>
);
