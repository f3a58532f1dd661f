import { footprintOf } from '@svc/permissions';
import { visible } from '@svc/text';
import { ConfirmButton, Copyable, ErrorMessage, moment } from '@svc/ui';
import type { AppView } from '../../../src/wire/views.ts';
import { localAccess } from '../cards/local-access.tsx';
import { Facts } from '../parts/parts.tsx';
import { Permissions } from '../permissions/permissions.tsx';
import { hashOf } from '../routes.ts';
import { go } from '../shell/use-route.ts';
import { useDesktopMutation } from '../wire/use-desktop.ts';
import { NEED, PRESENCE, SURE_REMOVE } from './app-parts.tsx';

function originOf({ source }: AppView): string {
  if (source.kind === 'developer') return source.folder;
  if (source.kind === 'built-in') return 'built in';
  if (source.kind !== 'connector') return source.store;
  return source.local?.kind === 'command' ? `the program ${source.local.program}` : source.url;
}

/** What was verified at install. Folders and connectors have no signature. */
function Verified({ app: { source } }: { app: AppView }) {
  if (source.kind === 'built-in')
    return (
      <p className="soft">Built into svc desktop. Its tools run on this computer and contact no server.</p>
    );
  if (source.kind !== 'store')
    return <p className="mild">Not signed: you added this folder or server yourself.</p>;
  const { sha256, keyId, publishedAt, installedAt } = source;
  return (
    <>
      <Facts
        facts={[
          ['SHA-256', <Copyable key="hash" name="SHA-256" text={sha256} />],
          ['Signed with', <Copyable key="key" name="Signed with" text={keyId} />],
          ['Published', moment(publishedAt)],
          ['Installed', installedAt === undefined ? 'not recorded' : moment(installedAt)],
        ]}
      />
      <p className="soft">
        Recorded at install, when the signature was verified on this computer. The bundle is checked against
        its SHA-256 each time it is read.
      </p>
    </>
  );
}

/** A link to the form of the store that reports an app to its moderators. */
function Report({ app: { appId, source } }: { app: AppView }) {
  if (source.kind !== 'store' || !/^https?:/.test(source.store)) return null;
  const { href } = new URL(`/account/apps/${encodeURIComponent(appId)}/report`, source.store);
  return (
    <p>
      <a href={href} target="_blank" rel="noopener noreferrer">
        Report this app
      </a>{' '}
      <span className="soft">
        to the moderators of its store: malware, impersonation, or permissions that it does not need
      </span>
    </p>
  );
}

/** @param remove removes the app. The parent shows the result, because this component is unmounted with the app. */
function Remove({ app: { source }, remove }: { app: AppView; remove(): void }) {
  const close = useDesktopMutation('folders.close');
  if (source.kind === 'built-in') return null;
  if (source.kind !== 'developer') return <ConfirmButton label="Remove" sure={SURE_REMOVE} act={remove} />;
  const after = { onSuccess: () => go(hashOf('apps')) };
  return (
    <p>
      <button type="button" onClick={() => close.mutate({ folder: source.folder }, after)}>
        Close
      </button>
      <ErrorMessage error={close.error} />
    </p>
  );
}

/** Permissions and origin of an app, and its removal. */
export function About({ app, remove }: { app: AppView; remove(): void }) {
  const { manifest, requirements } = app;
  return (
    <>
      <Facts
        facts={[
          ['ID', <code key="id">{app.appId}</code>],
          ['Version', visible(app.version)],
          ['Publisher', visible(manifest.publisher)],
          ['From', visible(originOf(app))],
          ['Author', manifest.author && visible(manifest.author)],
        ]}
      />
      {app.source.kind === 'connector' && app.source.local?.kind === 'command'
        ? localAccess({ ...app.source.local, environment: app.source.local.variables })
        : null}
      <h2>Signature</h2>
      <Verified app={app} />
      <Permissions
        sentences={manifest.permissions}
        publisher={manifest.publisher}
        footprint={footprintOf(manifest)}
        heading="h2"
      />
      {requirements.length === 0 ? null : (
        <>
          <h2>Requirements</h2>
          <ul>
            {requirements.map(({ name, presence, reason, need }) => (
              <li key={name}>
                <code>{visible(name)}</code> {PRESENCE[presence]}{' '}
                <span className="soft">
                  {NEED[need]}: {visible(reason)}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      <Report app={app} />
      <Remove app={app} remove={remove} />
    </>
  );
}
