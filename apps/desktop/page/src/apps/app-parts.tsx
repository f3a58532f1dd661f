import { visible } from '@svc/text';
import { Loaded } from '@svc/ui';
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
export const PRESENCE = {
  here: 'available',
  missing: 'missing',
  off: 'switched off',
  withdrawn: 'yanked',
} as const;
export const NEED = { required: 'required', fallback: 'as a fallback', optional: 'optional' } as const;

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
            <ul className="rows">
              {all.map((tool) => (
                <li key={tool.id}>
                  <div>
                    <a href={hashOf('tools', appId, tool.id)}>{visible(tool.title)}</a>{' '}
                    {tool.confirms ? <span className="badge">asks for approval</span> : null}
                    <p className="soft">
                      <WithCode text={tool.description} />
                    </p>
                  </div>
                </li>
              ))}
            </ul>
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
  if (panels.length === 0) return <p>This app has no panels.</p>;
  return (
    <ul className="rows">
      {panels.map(({ id, title }) => (
        <li key={id}>
          <div>
            <PanelIcon app={app} panelId={id} /> {visible(title)}
          </div>
          <a className="button" href={hashOf('panels', appId, id)}>
            {`Open ${visible(title)}`}
          </a>
        </li>
      ))}
    </ul>
  );
}
