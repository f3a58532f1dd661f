import type { ManagedSettings, StoreManagedSettings } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { MANAGED_WORDS } from '@svc/contracts/vocabulary';
import { Button, CodeBlock, Done, ErrorMessage, Facts, Form, Loaded, moment } from '@svc/ui';
import { useState } from 'react';
import { Card } from '../../account/parts.tsx';
import { useChange, useLeaveGuard, useRead } from '../../account/use-store.ts';
import { StoreLink } from '../store-link.tsx';
import { changedKeys, SettingFields, settingsIn, textOfSetting } from './fields.tsx';

const Warnings = ({ warnings }: { warnings: readonly string[] }) =>
  warnings.map((text) => (
    <p key={text} className="mild" role="status">
      {text}
    </p>
  ));

type Preview = Pick<StoreManagedSettings, 'settings' | 'warnings'>;

/** What a change does to every desktop, before it is signed. */
function PreviewCard({
  before,
  preview: { settings, warnings },
  isBusy,
  error,
  sign,
}: {
  before: ManagedSettings;
  preview: Preview;
  isBusy: boolean;
  error: Error | null;
  sign(): void;
}) {
  const changes = changedKeys(before, settings);
  const words = (of: ManagedSettings, name: (typeof changes)[number]) =>
    textOfSetting(of, name) ?? 'the user chooses';
  return (
    <Card title="Preview" lead="What users read under Settings → Store → Set by your company.">
      <Warnings warnings={warnings} />
      {changes.length === 0 ? (
        <p>These are the settings in force: nothing changes.</p>
      ) : (
        <>
          <Facts
            facts={changes.map((name) => [
              MANAGED_WORDS[name].title,
              <span key={name}>
                {words(settings, name)} <span className="soft">(now: {words(before, name)})</span>
              </span>,
            ])}
          />
          <div className="buttons">
            <Button label="Sign and publish" className="main" disabled={isBusy} onClick={sign} />
          </div>
        </>
      )}
      <ErrorMessage error={error} />
    </Card>
  );
}

function Editor({ kept, done }: { kept: StoreManagedSettings; done(): void }) {
  const [preview, setPreview] = useState<Preview | null>(null);
  const [isChanged, setChanged] = useState(false);
  useLeaveGuard(isChanged);
  const put = (settings: ManagedSettings, dryRun: boolean) =>
    apiRequest('PUT /api/admin/managed-settings', {
      json: { settings, from: kept.changedAt, ...(dryRun && { dryRun }) },
    });
  const check = useChange((settings: ManagedSettings) => put(settings, true));
  const sign = useChange((settings: ManagedSettings) => put(settings, false));
  return (
    <>
      <Card title="Settings" lead="What you leave empty, users choose.">
        <Form
          action="Preview"
          tone={preview ? 'plain' : 'main'}
          busy={check.isPending}
          error={check.error}
          change={() => {
            setChanged(true);
            setPreview(null);
            sign.reset();
          }}
          submit={(data) => {
            setPreview(null);
            check.mutate(settingsIn(data), { onSuccess: setPreview });
          }}
        >
          <SettingFields settings={kept.settings} />
        </Form>
      </Card>
      {preview === null ? null : (
        <PreviewCard
          before={kept.settings}
          preview={preview}
          isBusy={sign.isPending}
          error={sign.error}
          sign={() => void sign.mutateAsync(preview.settings).then(done, () => {})}
        />
      )}
    </>
  );
}

/** The base64 inside a PEM file, in one line. */
const inOneLine = (pem: string): string => pem.replace(/-----[^-]+-----|\s/g, '');

/** The file that points a computer to this store. */
function MachineFile() {
  const key = useRead(apiRequest('GET /api/apps/public-key'));
  return (
    <Card
      title="Point desktops to this store"
      lead="Your device management writes this file on each computer. Without it a desktop does not ask for these settings."
    >
      <Loaded query={key}>
        {({ publicKeyPem }) => (
          <CodeBlock
            text={JSON.stringify(
              {
                store: window.location.origin,
                storeKey: inOneLine(publicKeyPem),
                settingsFromStore: true,
              },
              null,
              2,
            )}
          />
        )}
      </Loaded>
      <p>
        <StoreLink href="/docs/managed">
          Where it goes on Windows, macOS and Linux, and how to enter the same in Intune or Jamf
        </StoreLink>
      </p>
    </Card>
  );
}

/** Edits what the company sets for the desktops of its users: the store signs it. */
export function Managed() {
  const query = useRead(apiRequest('GET /api/admin/managed-settings'));
  const [status, setStatus] = useState('');
  return (
    <>
      <h1>Managed desktops</h1>
      <Loaded query={query}>
        {(kept) => (
          <>
            <p className="soft">
              {kept.changedAt === null
                ? 'Nothing is set: users choose everything.'
                : `Last changed ${moment(kept.changedAt)}.`}{' '}
              The store signs these settings; desktops ask for them every 15 minutes.{' '}
              <a href={apiRequest('GET /api/managed-settings').path}>The signed settings</a>
            </p>
            <Warnings warnings={kept.warnings} />
            <Done>{status}</Done>
            <Editor
              key={kept.changedAt}
              kept={kept}
              done={() => setStatus('Signed. Desktops have the settings within 15 minutes.')}
            />
          </>
        )}
      </Loaded>
      <MachineFile />
    </>
  );
}
