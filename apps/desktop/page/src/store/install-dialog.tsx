import type { InstallSheet } from '@svc/runtime';
import { visible } from '@svc/text';
import { Button, Dialog, DialogButtons, Facts, moment, sizeText } from '@svc/ui';
import { Requirements } from '../apps/app-parts.tsx';
import { isolated } from '../parts/isolated.ts';
import { Consent, consentTitle, declineHint } from '../permissions/consent.tsx';
import { hashOf } from '../routes.ts';
import { go } from '../shell/use-route.ts';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';

/** What the user sees before they agree. All of it is from the verified manifest, not from the listing. */
function Sheet({ sheet }: { sheet: InstallSheet }) {
  const { source } = sheet;
  const details = (
    <Facts
      facts={[
        ['Store', source.store],
        ['Published', moment(source.publishedAt)],
        ['Size', sizeText(sheet.bytes)],
        ['SHA-256', <code key="hash">{source.sha256}</code>],
        ['Signed with', <code key="key">{source.keyId}</code>],
      ]}
    />
  );
  return (
    <>
      <Consent request={sheet} details={details}>
        {sheet.replaces !== null && sheet.widened === null ? (
          <p className="good">This update asks for no new permissions.</p>
        ) : null}
        {sheet.replaces === null ? <p dir="auto">{visible(sheet.description)}</p> : null}
      </Consent>
      <Requirements requirements={sheet.requirements} />
      <p className="soft">
        These details are from the bundle, whose signature was verified. Only who published and who reviewed
        it is from the store.
      </p>
    </>
  );
}

function ConfirmInstall({
  sheetId,
  sheet,
  close,
  done,
}: {
  sheetId: string;
  sheet: InstallSheet;
  close(): void;
  done(): void;
}) {
  const install = useDesktopMutation('store.install');
  const answer = { accepted: true, binding: sheet.binding } as const;
  const label = sheet.widened ? 'Agree and update' : sheet.replaces === null ? 'Install' : 'Update';
  const buttons = (
    <>
      <DialogButtons
        yes={install.isPending ? 'Installing…' : label}
        no="Decline"
        why={install.isPending ? '' : null}
        act={() => install.mutate({ sheetId, answer }, { onSuccess: done })}
        leave={close}
      />
      <span className="soft">{declineHint(sheet.replaces)}</span>
    </>
  );
  return (
    <Dialog title={consentTitle(sheet, sheet.replaces)} leave={close} buttons={buttons} error={install.error}>
      <Sheet sheet={sheet} />
    </Dialog>
  );
}

/** Downloads and verifies a version, asks the user, and installs it. Cards of its accounts come over the page that follows. */
export function InstallDialog({
  appId,
  version,
  close,
}: {
  appId: string;
  /** Undefined for the newest. */
  version: string | undefined;
  close(): void;
}) {
  // While the app is downloaded: the sheet has the name of the verified manifest.
  const name = useDesktopQuery('store.app', { appId }).data?.name;
  // A sheet is valid for one answer and a limited time, so it is never cached.
  const options = { gcTime: 0, staleTime: Number.POSITIVE_INFINITY };
  const wanted = { appId, ...(version !== undefined && { version }) };
  const prepared = useDesktopQuery('store.prepare', wanted, options);
  if (prepared.data === undefined) {
    const buttons = <Button label="Cancel" onClick={close} />;
    return (
      <Dialog
        key="preparing"
        title={`Install ${name === undefined ? appId : isolated(name)} ${version ?? ''}`}
        leave={close}
        buttons={buttons}
        error={prepared.error}
      >
        {prepared.error ? null : <p role="status">Downloading the app and checking its signature…</p>}
      </Dialog>
    );
  }
  const { sheet, sheetId } = prepared.data;
  // A first install ends in a conversation with the app, an update where it began.
  const done = () => (sheet.replaces === null ? go(hashOf('chat', 'new', appId)) : close());
  return <ConfirmInstall sheet={sheet} sheetId={sheetId} close={close} done={done} />;
}
