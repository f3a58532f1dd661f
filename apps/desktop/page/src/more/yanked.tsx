import { visible } from '@svc/text';
import { Button, ErrorMessage, moment } from '@svc/ui';
import type { DesktopCalls } from '../../../src/wire/calls.ts';
import { AppIcon } from '../parts/icon.tsx';
import { Section } from '../parts/parts.tsx';
import { useProject } from '../shell/use-project.ts';
import { type useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';

/** A check of the store that the user begins. */
export type Checking<Name extends 'apps.update' | 'apps.checkRevocations'> = {
  check: ReturnType<typeof useDesktopMutation<Name>>;
  begin(): void;
};

/** The apps of the store that are installed, in every project. */
export function useInstalled() {
  const { id: project } = useProject();
  const query = useDesktopQuery('apps.list', { project });
  const apps = query.data?.apps.filter(({ source }) => source.kind === 'store') ?? [];
  return { query, installed: new Map(apps.map((app) => [app.appId, app])) };
}

/** The apps that the store yanked, with the reason and what to do. */
export function SwitchedOff() {
  const { installed } = useInstalled();
  const off = [...installed.values()].flatMap((app) => (app.yanked ? [{ app, ...app.yanked }] : []));
  if (off.length === 0) return null;
  return (
    <Section title="Switched off">
      <p className="soft">
        The store yanked these versions. They stay off until an update or the store brings them back.
      </p>
      <ul className="app-rows">
        {off.map(({ app: { appId, version, manifest }, reason, at }) => (
          <li key={appId} className="card app-row yanked">
            <AppIcon appId={appId} version={version} name={manifest.name} />
            <div>
              <strong>{visible(manifest.name)}</strong> <span className="soft">{version}</span>
              <p className="fault">{visible(reason)}</p>
              <p className="soft">{`Yanked ${moment(at)}`}</p>
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}

type Checked = DesktopCalls['apps.checkRevocations']['out'];

/** The status of the list of yanked versions, as one statement: the most serious one that is true. */
function statusOf({ refused, signedAt, stale, ahead }: Checked): { className: string; text: string } {
  if (refused === 'store-unreachable') {
    const text =
      stale || signedAt === null
        ? 'The store cannot be reached, and there is no recent list. Check again later.'
        : 'The store cannot be reached. The current list is recent enough.';
    return { className: stale ? 'fault' : 'mild', text };
  }
  if (refused !== null)
    return {
      className: 'fault',
      text: `The new list was not accepted: ${visible(refused)}. Still using the previous list.`,
    };
  if (ahead)
    return {
      className: 'fault',
      text: 'The list is signed in the future: the clock of the store or of this computer is wrong. Check this computer’s clock. If it is right, contact the store.',
    };
  return stale
    ? {
        className: 'fault',
        text: 'The list is too old to rely on. Check again when the store can be reached.',
      }
    : { className: 'good', text: 'The list is up to date.' };
}

function ListStatus({ checked }: { checked: Checked }) {
  const { className, text } = statusOf(checked);
  return (
    <>
      <p className={className}>{text}</p>
      <p className="soft">
        {checked.signedAt === null
          ? 'No list yet.'
          : `The current list was signed ${moment(checked.signedAt)}.`}
      </p>
    </>
  );
}

/** The signed list of yanked versions, and a check of it now. */
export function Revocations({ check, begin }: Checking<'apps.checkRevocations'>) {
  const { data } = check;
  return (
    <section className="card" aria-label="Yanked versions">
      <details>
        <summary>Yanked versions</summary>
        <p className="soft">
          Yanked versions must not run. The store signs a list of them, and svc fetches it every few minutes.
        </p>
        <Button label="Check for yanked versions" busy="Checking…" runs={check} onClick={begin} />
        <ErrorMessage error={check.error} />
        <div role="status">{data ? <ListStatus checked={data} /> : null}</div>
      </details>
    </section>
  );
}
