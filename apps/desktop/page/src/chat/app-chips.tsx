import { visible } from '@svc/text';
import { AppIcon } from '../parts/icon.tsx';
import { hashOf } from '../routes.ts';
import { useProject } from '../shell/use-project.ts';
import { useDesktopQuery } from '../wire/use-desktop.ts';

/**
 * The apps that the model may use in this conversation, each with its switch.
 * @param off the apps that are switched off in it
 */
export function AppChips({ off, change }: { off: readonly string[]; change(off: string[]): void }) {
  const project = useProject();
  const apps = useDesktopQuery('apps.list', { project: project.id }).data?.apps;
  const usable = (apps ?? []).filter(({ on, withdrawn }) => on && !withdrawn);
  if (apps !== undefined && usable.length === 0) {
    return (
      <p className="app-chips soft">
        No app is on in this project. <a href={hashOf('store')}>Browse the store</a>
      </p>
    );
  }
  return (
    <ul className="app-chips" aria-label="Apps of this conversation">
      {usable.map(({ appId, version, manifest }) => {
        const isOn = !off.includes(appId);
        const name = visible(manifest.name);
        return (
          <li key={appId}>
            <button
              type="button"
              aria-pressed={isOn}
              title={isOn ? `${name}: on in this conversation` : `${name}: off in this conversation`}
              onClick={() => change(isOn ? [...off, appId] : off.filter((id) => id !== appId))}
            >
              <AppIcon appId={appId} version={version} name={manifest.name} />
              <span>{name}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
