import { footprintOf } from '@svc/permissions';
import { ConfirmButton, Copyable, ErrorMessage, moment } from '@svc/ui';
import type { AppView } from '../../../src/wire/views.ts';
import { localAccess } from '../cards/local-access.tsx';
import { Facts } from '../parts/parts.tsx';
import { visible } from '../parts/visible.ts';
import { Permissions } from '../permissions/permissions.tsx';
import { hashOf } from '../routes.ts';
import { go } from '../shell/use-route.ts';
import { useDesktopMutation } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';

const MESSAGES = WORDS.apps;

function originOf({ source }: AppView): string {
  if (source.kind === 'developer') return source.folder;
  if (source.kind === 'built-in') return MESSAGES.source['built-in'];
  if (source.kind !== 'connector') return source.store;
  return source.local?.kind === 'command' ? MESSAGES.command(source.local.program) : source.url;
}

/** What was verified at install. Folders and connectors have no signature. */
function Verified({ app: { source } }: { app: AppView }) {
  if (source.kind === 'built-in') return <p className="soft">{MESSAGES.builtIn}</p>;
  if (source.kind !== 'store') return <p className="mild">{MESSAGES.unsigned}</p>;
  const { sha256, keyId, publishedAt, installedAt } = source;
  return (
    <>
      <Facts
        facts={[
          [MESSAGES.facts.hash, <Copyable key="hash" name={MESSAGES.facts.hash} text={sha256} />],
          [MESSAGES.facts.key, <Copyable key="key" name={MESSAGES.facts.key} text={keyId} />],
          [MESSAGES.facts.published, moment(publishedAt)],
          [MESSAGES.facts.installed, installedAt === undefined ? MESSAGES.notKept : moment(installedAt)],
        ]}
      />
      <p className="soft">{MESSAGES.verifiedHint}</p>
    </>
  );
}

/** @param remove removes the app. The parent shows the result, because this component is unmounted with the app. */
function Remove({ app: { source }, remove }: { app: AppView; remove(): void }) {
  const close = useDesktopMutation('folders.close');
  if (source.kind === 'built-in') return null;
  if (source.kind !== 'developer')
    return <ConfirmButton label={MESSAGES.remove} sure={MESSAGES.sureRemove} act={remove} />;
  const after = { onSuccess: () => go(hashOf('apps')) };
  return (
    <p>
      <button type="button" onClick={() => close.mutate({ folder: source.folder }, after)}>
        {WORDS.dev.close}
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
          [MESSAGES.facts.id, <code key="id">{app.appId}</code>],
          [WORDS.settingsPage.facts.version, visible(app.version)],
          [MESSAGES.facts.publisher, visible(manifest.publisher)],
          [MESSAGES.facts.from, visible(originOf(app))],
          [MESSAGES.facts.author, manifest.author && visible(manifest.author)],
        ]}
      />
      {app.source.kind === 'connector' && app.source.local?.kind === 'command'
        ? localAccess({ ...app.source.local, environment: app.source.local.variables })
        : null}
      <h2>{MESSAGES.verified}</h2>
      <Verified app={app} />
      <Permissions
        sentences={manifest.permissions}
        publisher={manifest.publisher}
        footprint={footprintOf(manifest)}
        heading="h2"
      />
      {requirements.length === 0 ? null : (
        <>
          <h2>{WORDS.sheet.requires}</h2>
          <ul>
            {requirements.map(({ name, presence, reason, need }) => (
              <li key={name}>
                <code>{visible(name)}</code> {WORDS.sheet.presence[presence]}{' '}
                <span className="soft">
                  {WORDS.sheet.need[need]}: {visible(reason)}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      <Remove app={app} remove={remove} />
    </>
  );
}
