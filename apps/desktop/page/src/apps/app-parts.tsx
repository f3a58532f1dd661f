import { Loaded } from '@svc/ui';
import type { AppView } from '../../../src/wire/views.ts';
import { PanelIcon } from '../parts/icon.tsx';
import { visible } from '../parts/visible.ts';
import { WithCode } from '../parts/with-code.tsx';
import { hashOf } from '../routes.ts';
import { useProject } from '../shell/use-project.ts';
import { ServerRepairs, ToolsNotListed } from '../tools/tool-state.tsx';
import { useTools } from '../tools/use-tools.ts';
import { WORDS } from '../words.ts';
import { ToolChanges } from './tool-changes.tsx';

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
              <p>{WORDS.tools.none}</p>
            ) : (
              <ToolsNotListed fault={fault} />
            )
          ) : (
            <ul className="rows">
              {all.map((tool) => (
                <li key={tool.id}>
                  <div>
                    <a href={hashOf('tools', appId, tool.id)}>{visible(tool.title)}</a>{' '}
                    {tool.confirms ? <span className="badge">{WORDS.tools.asks}</span> : null}
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
  if (panels.length === 0) return <p>{WORDS.panels.noPanels}</p>;
  return (
    <ul className="rows">
      {panels.map(({ id, title }) => (
        <li key={id}>
          <div>
            <PanelIcon app={app} panelId={id} /> {visible(title)}
          </div>
          <a className="button" href={hashOf('panels', appId, id)}>
            {WORDS.panels.open(visible(title))}
          </a>
        </li>
      ))}
    </ul>
  );
}
