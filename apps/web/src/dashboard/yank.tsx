import { apiRequest } from '@svc/contracts/client';
import { ErrorMessage } from '@svc/ui';
import { Fields, OpenForm, textOf } from '../account/parts.tsx';
import { useChange, useRead } from '../account/use-store.ts';
import type { OwnRef } from './diff-view.tsx';
import { chartRequest, MAX_DAYS, ofVersion } from './install-sums.ts';
import { WORDS } from './words.ts';

const { yank: words } = WORDS;

/** Maximum length of a reason, in UTF-16 code units, as in the store. */
const MAX_REASON = 2_000;

type YankProps = { own: OwnRef; version: string };

/** The downloads of the version. The store does not know who still has it. */
function Downloads({ own, version }: YankProps) {
  const { data, error } = useRead(chartRequest(own, MAX_DAYS));
  if (data !== undefined) return words.downloads(MAX_DAYS, ofVersion(data, version));
  return error === null ? words.downloadsLoading : words.downloadsUnknown;
}

function YankForm({ close, ...props }: YankProps & { close(): void }) {
  const { own, version } = props;
  const yank = useChange((json: { reason: string }) =>
    apiRequest('POST /api/apps/:appId/versions/:version/yank', {
      params: { appId: own.appId, version },
      json,
    }),
  );
  return (
    <section className="danger" aria-label={words.title(version)}>
      <p>
        <strong>{words.title(version)}</strong> {words.warning} {words.final}
      </p>
      <p role="status">
        <Downloads {...props} />
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
            // biome-ignore lint/a11y/noAutofocus: the form replaces the button that was pressed
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

/** Yanks a published version, with a reason, after showing its downloads. */
export const Yank = (props: YankProps) => (
  <OpenForm label={words.open(props.version)} className="bad">
    {(close) => <YankForm {...props} close={close} />}
  </OpenForm>
);
