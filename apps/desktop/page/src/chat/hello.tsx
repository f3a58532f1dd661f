import { visible } from '../parts/visible.ts';
import { hashOf } from '../routes.ts';
import { useProject } from '../shell/use-project.ts';
import { useDesktopQuery } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';

const MESSAGES = WORDS.chat;

/** Names the model that answers, or links to the settings if there is none. */
function AnswersFrom() {
  const listed = useDesktopQuery('models.list', {}).data;
  if (!listed) return null;
  const { providers, default: chosen } = listed;
  if (chosen === null) {
    return (
      <a className="button main" href={hashOf('settings', 'models')}>
        {MESSAGES.addModel}
      </a>
    );
  }
  const provider = providers.find(({ id }) => id === chosen.provider);
  return (
    <p className="soft">
      {MESSAGES.answersFrom(visible(chosen.model), visible(provider?.name ?? ''))}{' '}
      <a href={hashOf('settings', 'models')}>{MESSAGES.change}</a>
    </p>
  );
}

/** The greeting of a new conversation, with links to add a model and apps. */
export function Hello() {
  const project = useProject();
  const apps = useDesktopQuery('apps.list', { project: project.id }).data?.apps;
  const hasApps = apps?.some(({ on, withdrawn, source }) => on && !withdrawn && source.kind !== 'built-in');
  return (
    <div className="thread hello">
      <h2>{MESSAGES.hello}</h2>
      <p className="soft">{MESSAGES.helloHint}</p>
      {hasApps === false ? (
        <p>
          {MESSAGES.noApps} <a href={hashOf('store')}>{MESSAGES.browse}</a>
        </p>
      ) : null}
      <AnswersFrom />
    </div>
  );
}
