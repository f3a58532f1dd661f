import { visible } from '@svc/text';
import { Button, Check, count, MenuButton } from '@svc/ui';
import type { AppView } from '../../../src/wire/views.ts';
import { AppIcon } from '../parts/icon.tsx';
import { hashOf } from '../routes.ts';
import { useApps, useProject } from '../shell/use-project.ts';
import { useDesktopQuery } from '../wire/use-desktop.ts';
import { MAX_LISTED_TOOLS } from './limits.ts';

type Choice = { off: readonly string[]; change(off: string[]): void };

/** The apps that are off, after one was switched. */
const switched = (off: readonly string[], appId: string, isOn: boolean): string[] =>
  isOn ? off.filter((id) => id !== appId) : [...off, appId];

/** The number of tools that the model may use, which opens their list: each app with its switch and its tools. */
function ToolList({ apps, off, change }: Choice & { apps: readonly AppView[] }) {
  const project = useProject();
  const listed = useDesktopQuery('tools.names', { project: project.id }).data?.apps;
  if (!listed) return null;
  const toolsOf = (appId: string) => listed.find((app) => app.appId === appId)?.tools ?? [];
  const used = apps
    .filter(({ appId }) => !off.includes(appId))
    .reduce((sum, { appId }) => sum + toolsOf(appId).length, 0);
  const label = count(used, 'tool');
  return (
    <MenuButton look="pop pop-menu-body tool-list" label={label} name={`${label}: what the model may use`}>
      {() => (
        <>
          <p className="soft">
            {used > MAX_LISTED_TOOLS
              ? `The model may use ${label} in this conversation. It searches them, because there are more than ${MAX_LISTED_TOOLS}.`
              : `The model may use ${label} in this conversation.`}
          </p>
          <ul className="bare">
            {apps.map(({ appId, manifest, obstacle }) => {
              const isOn = !off.includes(appId);
              const tools = toolsOf(appId);
              return (
                <li key={appId}>
                  <Check
                    label={visible(manifest.name)}
                    checked={isOn}
                    choose={(next) => change(switched(off, appId, next))}
                  />
                  {obstacle === null ? null : <p className="soft">{visible(obstacle)}</p>}
                  <p className="soft">
                    {tools.length === 0
                      ? 'Its server has not listed its tools yet.'
                      : tools.map(({ name }) => visible(name)).join(', ')}
                  </p>
                </li>
              );
            })}
          </ul>
          <a href={hashOf('apps')}>Switch apps for the whole project</a>
        </>
      )}
    </MenuButton>
  );
}

/**
 * The apps that the model may use in this conversation, each with its switch.
 * @param off the apps that are switched off in it
 */
export function AppChips({ off, change }: Choice) {
  const apps = useApps();
  const usable = (apps ?? []).filter(({ on, yanked }) => on && !yanked);
  if (apps !== undefined && usable.length === 0) {
    return (
      <p className="app-chips soft">
        No app is on in this project. <a href={hashOf('store')}>Browse the store</a>
      </p>
    );
  }
  return (
    <>
      {usable.length === 0 ? null : <ToolList {...{ apps: usable, off, change }} />}
      <ul className="app-chips" aria-label="Apps of this conversation">
        {usable.map(({ appId, version, manifest }) => {
          const isOn = !off.includes(appId);
          const name = visible(manifest.name);
          return (
            <li key={appId}>
              <Button
                aria-pressed={isOn}
                title={isOn ? `${name}: on in this conversation` : `${name}: off in this conversation`}
                onClick={() => change(switched(off, appId, !isOn))}
              >
                <AppIcon appId={appId} version={version} name={manifest.name} />
                <span>{name}</span>
              </Button>
            </li>
          );
        })}
      </ul>
    </>
  );
}
