import { visible } from '@svc/text';
import { ButtonLink, Loaded, Rows } from '@svc/ui';
import type { AppView } from '../../../src/wire/views.ts';
import { PanelIcon } from '../parts/icon.tsx';
import { WithCode } from '../parts/with-code.tsx';
import { hashOf } from '../routes.ts';
import { useProject } from '../shell/use-project.ts';
import { ServerRepairs, ToolsNotListed } from '../tools/tool-state.tsx';
import { useTools } from '../tools/use-tools.ts';
import { ToolChanges } from './tool-changes.tsx';

export const SOURCES = {
  store: 'store',
  developer: 'developer folder',
  connector: 'connector',
  'built-in': 'built in',
} as const;

/** Of the apps and connectors that an app requires: if they are here, and how much it needs them. */
const PRESENCE = {
  here: 'available',
  missing: 'missing',
  off: 'switched off',
  yanked: 'yanked',
} as const;
const NEED = { required: 'required', fallback: 'as a fallback', optional: 'optional' } as const;

/** What an app requires, if it requires anything. @param heading level of the heading */
export function Requirements({
  requirements,
  heading: Title = 'h3',
}: Pick<AppView, 'requirements'> & { heading?: 'h2' | 'h3' }) {
  if (requirements.length === 0) return null;
  return (
    <>
      <Title>Requirements</Title>
      <ul>
        {requirements.map(({ kind, name, reason, need, presence }) => (
          <li key={`${kind} ${name}`}>
            <code>{visible(name)}</code>{' '}
            <span className={presence === 'here' ? 'good' : 'bad'}>{PRESENCE[presence]}</span>{' '}
            <span className="soft">
              {NEED[need]}: {visible(reason)}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

export const SURE_REMOVE = 'Remove this app? Its accounts are disconnected and its files are deleted.';

/** The tools of an app, linked to the tool runner. */
export function AppTools({ app: { appId } }: { app: AppView }) {
  const project = useProject();
  const { tools, fault, repairs } = useTools(appId, project.id);
  return (
    <>
      <ToolChanges appId={appId} />
      <Loaded query={tools}>
        {({ tools: all }) =>
          all.length === 0 ? (
            fault === null ? (
              <p>This app has no tools.</p>
            ) : (
              <ToolsNotListed fault={fault} />
            )
          ) : (
            <Rows of={all}>
              {(tool) => (
                <li key={tool.id}>
                  <div>
                    <a href={hashOf('tools', appId, tool.id)}>{visible(tool.title)}</a>{' '}
                    {tool.confirms ? <span className="badge">asks for approval</span> : null}
                    {tool.isCut ? <span className="badge">text cut at 4,096 characters</span> : null}
                    <p className="soft lines">
                      <WithCode text={tool.description} />
                    </p>
                  </div>
                </li>
              )}
            </Rows>
          )
        }
      </Loaded>
      <ServerRepairs repairs={repairs} />
    </>
  );
}

/** The panels of an app, linked to the panels page. */
export function AppPanels({ app }: { app: AppView }) {
  const { appId, manifest } = app;
  const panels = manifest.contributes.panels ?? [];
  return (
    <Rows of={panels} none="This app has no panels.">
      {({ id, title }) => (
        <li key={id}>
          <div>
            <PanelIcon app={app} panelId={id} /> {visible(title)}
          </div>
          <ButtonLink label={`Open ${visible(title)}`} href={hashOf('panels', appId, id)} />
        </li>
      )}
    </Rows>
  );
}
