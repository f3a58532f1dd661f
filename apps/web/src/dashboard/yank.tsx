import { apiRequest } from '@svc/contracts/client';
import { ErrorMessage } from '@svc/ui';
import { count } from '@svc/ui/text';
import { Fields, OpenForm, textOf } from '../account/parts.tsx';
import { useChange, useRead } from '../account/use-store.ts';
import type { OwnRef } from './diff-view.tsx';
import { chartRequest, MAX_DAYS, ofVersion } from './install-sums.ts';

const titleText = (version: string) => `Yank ${version}?`;

const downloadsText = (days: number, { installs, updates }: { installs: number; updates: number }) =>
  installs + updates === 0
    ? `No downloads in the last ${days} days.`
    : `${count(installs, 'install')} and ${count(updates, 'update')} in the last ${days} days. The store does not know how many users still have it.`;

/** Maximum length of a reason, in UTF-16 code units, as in the store. */
const MAX_REASON = 2_000;

type YankProps = { own: OwnRef; version: string };

/** The downloads of the version. The store does not know who still has it. */
function Downloads({ own, version }: YankProps) {
  const { data, error } = useRead(chartRequest(own, MAX_DAYS));
  if (data !== undefined) return downloadsText(MAX_DAYS, ofVersion(data, version));
  return error === null ? 'Loading the number of downloads…' : 'The number of downloads could not be loaded.';
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
    <section className="danger" aria-label={titleText(version)}>
      <p>
        <strong>{titleText(version)}</strong> Users lose this version: every client disables it within the
        hour. Only an administrator can undo this.
      </p>
      <p role="status">
        <Downloads {...props} />
      </p>
      <Fields
        action={`Yank ${version}`}
        busy={yank.isPending}
        submit={(data) => yank.mutateAsync({ reason: textOf(data, 'reason') })}
      >
        <label>
          Reason
          <small>Shown to users who have this version, and signed.</small>
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
        Cancel
      </button>
      <ErrorMessage error={yank.error} />
    </section>
  );
}

/** Yanks a published version, with a reason, after showing its downloads. */
export const Yank = (props: YankProps) => (
  <OpenForm label={`Yank ${props.version}…`} className="bad">
    {(close) => <YankForm {...props} close={close} />}
  </OpenForm>
);
