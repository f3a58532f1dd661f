import { visible } from '@svc/text';
import type { AppView } from '../../../src/wire/views.ts';
import { AppIcon, StoreIcon } from '../parts/icon.tsx';
import { hashOf } from '../routes.ts';
import { useProject } from '../shell/use-project.ts';
import { useDesktopQuery } from '../wire/use-desktop.ts';

/** Examples, and icons of apps to install, in a new conversation. */
const EXAMPLES = 3;
const ICONS = 4;

/** Names the model that answers, or links to the settings if there is none. */
function AnswersFrom() {
  const listed = useDesktopQuery('models.list', {}).data;
  if (!listed) return null;
  const { providers, default: chosen } = listed;
  if (chosen === null) {
    return (
      <a className="button main" href={hashOf('settings', 'models')}>
        Add a model first
      </a>
    );
  }
  const provider = providers.find(({ id }) => id === chosen.provider);
  return (
    <p className="soft">
      {`Answers come from ${visible(chosen.model)} (${visible(provider?.name ?? '')}).`}{' '}
      <a href={hashOf('settings', 'models')}>Change</a>
    </p>
  );
}

/** The most installed apps of the store, for a client without any. */
function FirstApp() {
  const apps = useDesktopQuery('store.search', {}).data?.apps.slice(0, ICONS) ?? [];
  return (
    <section className="card first-app">
      <h3>Install your first app</h3>
      <p className="soft">Apps give the model tools: notes, pictures, calendars.</p>
      <ul>
        {apps.map(({ appId, name, iconUrl }) => (
          <li key={appId}>
            <a href={hashOf('store', appId)}>
              <StoreIcon name={name} url={iconUrl} />
              {visible(name)}
            </a>
          </li>
        ))}
      </ul>
      <a className="button" href={hashOf('store')}>
        Browse the store
      </a>
    </section>
  );
}

/** One message for each app, which names what the first of its tools does. */
function Examples({ apps, begin }: { apps: readonly AppView[]; begin(text: string): void }) {
  const project = useProject();
  const listed = useDesktopQuery('tools.names', { project: project.id }).data?.apps ?? [];
  const examples = apps.flatMap((app) => {
    const [tool] = listed.find(({ appId }) => appId === app.appId)?.tools ?? [];
    return tool ? [{ app, text: `${visible(tool.name)} with ${visible(app.manifest.name)}` }] : [];
  });
  if (examples.length === 0) return null;
  return (
    <section aria-label="Try one of these">
      <p className="soft">Try one of these</p>
      <ul className="examples">
        {examples.slice(0, EXAMPLES).map(({ app, text }) => (
          <li key={app.appId}>
            <button type="button" onClick={() => begin(text)}>
              <AppIcon appId={app.appId} version={app.version} name={app.manifest.name} />
              {text}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/**
 * The first view of a new conversation: examples from the installed apps, or apps to install, and the model that answers.
 * @param begin writes a text into the message field
 */
export function Hello({ begin }: { begin(text: string): void }) {
  const project = useProject();
  const apps = useDesktopQuery('apps.list', { project: project.id }).data?.apps;
  const usable = apps?.filter(({ on, withdrawn, source }) => on && !withdrawn && source.kind !== 'built-in');
  return (
    <div className="thread hello">
      <h2>What would you like to do?</h2>
      <p className="soft">
        The model can use the apps that are on in this project. You approve what it sends them.
      </p>
      {usable?.length === 0 ? <FirstApp /> : null}
      {usable && usable.length > 0 ? <Examples apps={usable} begin={begin} /> : null}
      <AnswersFrom />
    </div>
  );
}
