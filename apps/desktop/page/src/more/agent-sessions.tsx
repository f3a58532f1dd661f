import { ConfirmButton, ErrorMessage, Icon, Loaded, When } from '@svc/ui';
import type { AgentSessionView, AppView } from '../../../src/wire/views.ts';
import { Section } from '../parts/parts.tsx';
import { visible } from '../parts/visible.ts';
import { useProject } from '../shell/use-project.ts';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';

const MESSAGES = WORDS.agentSessions;

/** The tools that an agent can use now, by app. */
function Allowed({ scope }: { scope: AgentSessionView['scope'] }) {
  const change = useDesktopMutation('agents.switchTool');
  if (scope === null) return <p className="soft">{MESSAGES.notYet}</p>;
  const { project, projectId, knownAs, searched, apps, tokens } = scope;
  const tools = apps.flatMap((app) => app.tools).filter(({ on }) => on).length;
  return (
    <details>
      <summary>{MESSAGES.tools(tools, apps.length, visible(project))}</summary>
      {searched ? <p className="soft">{MESSAGES.searched}</p> : null}
      <p className="soft">{MESSAGES.cost(tokens)}</p>
      <ul>
        {apps.map(({ appId, name, tools: names }) => (
          <li key={appId}>
            <strong>{visible(name)}</strong>
            {names.length === 0 ? `: ${MESSAGES.notListed}` : null}
            {names.map((tool) => (
              <label key={tool.id}>
                <input
                  type="checkbox"
                  checked={tool.on}
                  disabled={knownAs === null || change.isPending}
                  onChange={({ currentTarget: { checked } }) =>
                    knownAs &&
                    change.mutate({ agent: knownAs, project: projectId, appId, tool: tool.id, on: checked })
                  }
                />{' '}
                {visible(tool.name)}
              </label>
            ))}
          </li>
        ))}
      </ul>
      <ErrorMessage error={change.error} />
    </details>
  );
}

function LastCall({
  session: { lastCall, calls },
  apps,
}: {
  session: AgentSessionView;
  apps: readonly AppView[];
}) {
  if (lastCall === null) return <>{MESSAGES.noCall}</>;
  const { appId, tool, at } = lastCall;
  const app = apps.find((candidate) => candidate.appId === appId)?.manifest.name ?? appId;
  return (
    <>
      {MESSAGES.lastCall(visible(app), visible(tool))} <When at={at} />; {MESSAGES.calls(calls)}
    </>
  );
}

function Session({ session, apps }: { session: AgentSessionView; apps: readonly AppView[] }) {
  const end = useDesktopMutation('agents.end');
  const { id, agent, version, since, scope } = session;
  const name = visible(agent);
  return (
    <li className="agent">
      <Icon name="bot" />
      <div>
        <strong>{name}</strong> {visible(version)} <span className="badge good">{MESSAGES.connected}</span>
        <p className="soft">
          {MESSAGES.since} <When at={since} />
        </p>
        <p className="soft">
          <LastCall session={session} apps={apps} />
        </p>
        <Allowed scope={scope} />
        <ErrorMessage error={end.error} />
      </div>
      <ConfirmButton
        label={MESSAGES.end(name)}
        sure={MESSAGES.sure}
        act={() => end.mutate({ session: id })}
      />
    </li>
  );
}

/** The connected agents, each with a button that ends its session. */
export function AgentSessions() {
  const project = useProject();
  const sessions = useDesktopQuery('agents.sessions', {});
  const endAll = useDesktopMutation('agents.end');
  const apps = useDesktopQuery('apps.list', { project: project.id }).data?.apps ?? [];
  return (
    <Section title={MESSAGES.title}>
      <p className="soft">{MESSAGES.hint}</p>
      <Loaded query={sessions}>
        {({ sessions: all }) =>
          all.length === 0 ? (
            <p>{MESSAGES.none}</p>
          ) : (
            <>
              <ul className="rows">
                {all.map((session) => (
                  <Session key={session.id} session={session} apps={apps} />
                ))}
              </ul>
              {all.length === 1 ? null : (
                <ConfirmButton
                  label={MESSAGES.endAll}
                  sure={MESSAGES.sureAll}
                  act={() => endAll.mutate({ session: null })}
                />
              )}
              <ErrorMessage error={endAll.error} />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}
